package dev.sluice.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.executor.ModelKey;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who may know whom. The compiler forbids a module it cannot see; this forbids the rest. */
final class ArchitectureTest {
  private static final String[] JDK = {"java..", "javax.imageio..", "org.jspecify.annotations.."};

  private static final JavaClasses SLUICE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.sluice");

  /** Module package to what it may use beside itself and the JDK. */
  private static Map<String, String[]> allowed() {
    Map<String, String[]> allowed = new LinkedHashMap<>();
    allowed.put(
        "dev.sluice.contract..", new String[] {"com.fasterxml.jackson..", "org.yaml.snakeyaml.."});
    allowed.put("dev.sluice.scheduling..", new String[] {});
    allowed.put(
        "dev.sluice.producer..",
        new String[] {
          "dev.sluice.contract..",
          "org.apache.kafka.clients..",
          "org.apache.kafka.common..",
          "org.slf4j.."
        });
    allowed.put(
        "dev.sluice.scheduler..",
        new String[] {
          "dev.sluice.contract..",
          "dev.sluice.scheduling..",
          "org.apache.kafka..",
          "com.fasterxml.jackson..",
          "org.slf4j.."
        });
    allowed.put(
        "dev.sluice.executor..",
        new String[] {
          "dev.sluice.contract..",
          "org.apache.kafka.clients..",
          "org.apache.kafka.common..",
          "ai.djl..",
          "com.sun.management..",
          "de.siegmar.fastcsv..",
          "org.slf4j..",
          "smile.."
        });
    allowed.put(
        "dev.sluice.analytics..",
        new String[] {
          "dev.sluice.contract..",
          "org.apache.kafka.clients..",
          "org.apache.kafka.common..",
          "com.fasterxml.jackson..",
          "de.siegmar.fastcsv..",
          "org.HdrHistogram..",
          "org.jfree..",
          "org.apache.commons.statistics..",
          "org.knowm.xchart..",
          "org.slf4j..",
          "org.yaml.snakeyaml.."
        });
    return allowed;
  }

  @Test
  void sawEveryModule() {
    allowed()
        .keySet()
        .forEach(
            module ->
                assertThat(SLUICE.that(resideInAPackage(module))).as(module).hasSizeGreaterThan(5));
    assertThat(SLUICE.that(resideInAPackage("dev.sluice.cli.."))).hasSizeGreaterThan(5);
  }

  @Test
  void eachModuleUsesOnlyWhatTheDesignAllows() {
    allowed()
        .forEach(
            (module, others) -> {
              String[] all = new String[JDK.length + others.length + 1];
              System.arraycopy(JDK, 0, all, 0, JDK.length);
              System.arraycopy(others, 0, all, JDK.length, others.length);
              all[all.length - 1] = module;
              classes()
                  .that()
                  .resideInAPackage(module)
                  .should()
                  .onlyDependOnClassesThat(resideInAnyPackage(all))
                  .check(SLUICE);
            });
  }

  @Test
  void onlyTheCommandLineNamesASystemClockOrStartsAProcess() {
    noClasses()
        .that(not(resideInAPackage("dev.sluice.cli..")))
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .orShould()
        .callMethod(java.time.Clock.class, "systemUTC")
        .orShould()
        .callMethod(java.time.InstantSource.class, "system")
        .orShould()
        .callConstructor(ProcessBuilder.class, String[].class)
        .orShould()
        .callMethod(Runtime.class, "exec", String[].class)
        .orShould()
        .callMethod(System.class, "exit", int.class)
        .check(SLUICE);
  }

  @Test
  void learnedLatencyKnowsRowsAlone() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.executor.latency..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "dev.sluice.executor",
                    "dev.sluice.executor.model..",
                    "org.apache.kafka..",
                    "ai.djl..",
                    "java.time..")
                .and(not(type(ModelKey.class)))) // a name, no more
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.io.ObjectInputStream")
        .check(SLUICE);
  }

  @Test
  void theCoreHasNoThreadFileOrChanceOfItsOwn() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.scheduling..")
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
