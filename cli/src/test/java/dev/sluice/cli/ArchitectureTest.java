package dev.sluice.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules of the layout that the compiler does not guard; ARCHITECTURE.md says them in words. */
final class ArchitectureTest {
  private static final String[] JDK = {"java..", "org.jspecify.annotations.."};
  private static final String[] KAFKA_CLIENTS = {
    "org.apache.kafka.clients..", "org.apache.kafka.common.."
  };

  private static final JavaClasses SLUICE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar")) // as verify has them
          .importPackages("dev.sluice");

  /** Module package to what it may use beside itself and the JDK. */
  private static Map<String, String[]> allowed() {
    Map<String, String[]> allowed = new LinkedHashMap<>();
    allowed.put(
        "dev.sluice.contract..",
        and(
            KAFKA_CLIENTS,
            "com.fasterxml.jackson..",
            "de.siegmar..",
            "org.slf4j..",
            "org.yaml.snakeyaml.."));
    allowed.put(
        "dev.sluice.scheduling..",
        new String[] {"dev.sluice.contract.event..", "dev.sluice.contract.value.."});
    allowed.put(
        "dev.sluice.producer..",
        and(KAFKA_CLIENTS, "dev.sluice.contract..", "com.fasterxml.jackson.core..", "org.slf4j.."));
    allowed.put(
        "dev.sluice.scheduler..",
        and(
            KAFKA_CLIENTS,
            "dev.sluice.contract..",
            "dev.sluice.scheduling..",
            "org.apache.kafka.streams..",
            "com.fasterxml.jackson..",
            "org.slf4j.."));
    allowed.put(
        "dev.sluice.executor..",
        and(
            KAFKA_CLIENTS,
            "dev.sluice.contract..",
            "ai.djl..",
            "com.fasterxml.jackson..",
            "com.sun.jna..",
            "com.sun.management..",
            "de.siegmar.fastcsv..",
            "org.apache.commons.statistics..",
            "org.slf4j..",
            "smile.."));
    allowed.put(
        "dev.sluice.analytics..",
        and(
            KAFKA_CLIENTS,
            "dev.sluice.contract..",
            "com.fasterxml.jackson..",
            "com.pngencoder..",
            "de.siegmar.fastcsv..",
            "org.jfree..",
            "org.apache.commons.statistics..",
            "org.slf4j..",
            "org.yaml.snakeyaml.."));
    return allowed;
  }

  /** Packages of modules that the spine does not know. */
  private static final String[] ANNEXES = {
    "dev.sluice.layers..", "dev.sluice.planning..", "dev.sluice.sweep..", "dev.sluice.bench.."
  };

  private static String[] and(String[] some, String... others) {
    return Stream.of(some, others).flatMap(Stream::of).toArray(String[]::new);
  }

  @Test
  void sawEveryModule() {
    Stream.concat(
            allowed().keySet().stream(),
            Stream.of(
                "dev.sluice.harness..",
                "dev.sluice.layers..",
                "dev.sluice.planning..",
                "dev.sluice.sweep..",
                "dev.sluice.cli.."))
        .forEach(
            module ->
                assertThat(SLUICE.that(resideInAPackage(module))).as(module).hasSizeGreaterThan(5));
  }

  @Test
  void eachModuleUsesOnlyWhatTheDesignAllows() {
    allowed()
        .forEach(
            (module, others) ->
                classes()
                    .that()
                    .resideInAPackage(module)
                    .should()
                    .onlyDependOnClassesThat(resideInAnyPackage(and(and(JDK, others), module)))
                    .check(SLUICE));
  }

  @Test
  void noCircleOfPackages() {
    slices().matching("dev.sluice.(**)").should().beFreeOfCycles().check(SLUICE);
  }

  @Test
  void theSpineNamesNoAnnex() {
    noClasses()
        .that(not(resideInAnyPackage(and(ANNEXES, "dev.sluice.cli.."))))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ANNEXES)
        .check(SLUICE);
  }

  @Test
  void noAnnexNamesAnother() {
    Stream.of("dev.sluice.layers..", "dev.sluice.planning..", "dev.sluice.sweep..")
        .forEach(
            annex ->
                noClasses()
                    .that()
                    .resideInAPackage(annex)
                    .should()
                    .dependOnClassesThat(
                        resideInAnyPackage(ANNEXES).and(not(resideInAPackage(annex))))
                    .check(SLUICE));
  }

  @Test
  void schedulesAndSplitsSeeTheJdkAlone() {
    Stream.of("dev.sluice.layers.schedule..", "dev.sluice.planning.split..")
        .forEach(
            pure ->
                classes()
                    .that()
                    .resideInAPackage(pure)
                    .should()
                    .onlyDependOnClassesThat(resideInAnyPackage(and(JDK, pure)))
                    .check(SLUICE));
  }

  @Test
  void onlyTheCommandLineKnowsItsLibrary() {
    noClasses()
        .that(not(resideInAPackage("dev.sluice.cli..")))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("picocli..", "dev.sluice.cli..")
        .check(SLUICE);
  }

  @Test
  void policiesSeeTheirInterfaceAlone() {
    classes()
        .that()
        .resideInAPackage("dev.sluice.scheduling.policies..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                and(JDK, "dev.sluice.scheduling.policies..", "dev.sluice.scheduling.policy..")))
        .check(SLUICE);
  }

  @Test
  void eventsKnowNoKafka() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.sluice.contract.event..", "dev.sluice.contract.value..")
        .or()
        .haveSimpleName("EventCodec")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.kafka..")
        .check(SLUICE);
  }

  @Test
  void onlyItsOwnPackageStartsProcesses() {
    noClasses()
        .that(not(resideInAPackage("dev.sluice.harness.process..")))
        .should()
        .callConstructor(ProcessBuilder.class, String[].class)
        .orShould()
        .callConstructor(ProcessBuilder.class, java.util.List.class)
        .orShould()
        .callMethod(Runtime.class, "exec", String[].class)
        .check(SLUICE);
  }

  @Test
  void onlyTheMachinesPackageNamesAClock() {
    noClasses()
        .that(not(resideInAPackage("dev.sluice.harness.machine..")))
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .orShould()
        .callMethod(java.time.LocalDateTime.class, "now")
        .orShould()
        .callMethod(java.time.Clock.class, "systemUTC")
        .orShould()
        .callMethod(java.time.InstantSource.class, "system")
        .check(SLUICE);
  }

  @Test
  void onlyTheRoomsOfTheMachineAndOfTheEnginesCallTheSystem() {
    noClasses()
        .that(
            not(resideInAnyPackage("dev.sluice.harness.machine..", "dev.sluice.executor.model..")))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.sun.jna..")
        .check(SLUICE);
  }

  @Test
  void onlyModelsKnowTheirEngines() {
    noClasses()
        .that(not(resideInAnyPackage("dev.sluice.executor.model..", "dev.sluice.layers.engine..")))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("ai.djl..")
        .check(SLUICE);
  }

  @Test
  void onlyTheMainExits() {
    noClasses()
        .that(not(resideInAPackage("dev.sluice.cli..")))
        .should()
        .callMethod(System.class, "exit", int.class)
        .check(SLUICE);
  }

  @Test
  void learnedLatencyKnowsRowsAlone() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.executor.latency..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.sluice.executor.dispatch..",
            "dev.sluice.executor.lane..",
            "dev.sluice.executor.model..",
            "org.apache.kafka..",
            "ai.djl..",
            "java.time..")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.io.ObjectInputStream")
        .check(SLUICE);
  }

  @Test
  void theSecondOpinionSharesNoReaderWithTheRest() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.analytics.check..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.sluice.analytics..")
                .and(not(resideInAPackage("dev.sluice.analytics.check.."))))
        .check(SLUICE);
  }

  @Test
  void theCoreHasNoThreadFileOrChanceOfItsOwn() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.sluice.scheduling..",
            "dev.sluice.layers.schedule..",
            "dev.sluice.planning.split..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "java.io..", "java.nio..", "java.net..", "java.time..", "java.util.concurrent.."))
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.Random")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.Thread")
        .check(SLUICE);
  }
}
