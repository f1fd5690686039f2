package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.scheduling.policies.Policies;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each policy in whole loops on emulated lanes, whose log proves the run and makes its decisions
 * again. In the second loop no lane holds both models.
 */
@Tag("loop")
final class EachPolicyLoopTest {
  private static EmbeddedBroker broker;

  @TempDir private Path folder;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = SharedBroker.get();
  }

  static List<String> policies() {
    return Policies.names();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void runs_isChecked_andDecidesTheSameAgain(String policy) throws Exception {
    Ended run =
        run(
            policy,
            "promises",
            "classes={interactive: {slo_ms: 20000, microbatch: true}, batch: {slo_ms: 40000}}");

    assertThat(run.folder().resolve("loads.csv")).doesNotExist();
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("policies")
  void runsOnLanesThatHoldOneModel(String policy) throws Exception {
    Ended run =
        run(
            policy,
            "loads",
            "lanes.memory_mb=100",
            "workloads=[{name: short, alpha_ms: 2, beta_ms: 0.5, tokens: 50, load_ms: 4,"
                + " memory_mb: 70}, {name: long, alpha_ms: 6, beta_ms: 1, tokens: 100, load_ms: 9,"
                + " memory_mb: 90}]");

    assertThat(run.rows("loads.csv")).isNotEmpty();
  }

  private Ended run(String policy, String name, String... overrides) throws Exception {
    var words = new ArrayList<String>(List.of("scheduler_name=" + policy));
    words.addAll(List.of(overrides));
    Ended run =
        new Loop(folder, broker.bootstrapServers())
            .run(policy + "-" + name, words.toArray(String[]::new))
            .assertWhole();
    assertThat(run.count("done")).as("jobs done").isPositive();

    BadInputCommand checked = sluice("check", run.folder().toString());
    assertThat(checked.status()).as(checked.out()).isZero();
    BadInputCommand again = sluice("replay", "--decisions", run.folder().toString());
    assertThat(again.status()).as(again.out() + again.err()).isZero();
    assertThat(again.out()).matches("([\\d,]+) of \\1 decisions equal \\([\\s\\S]+\\)\n");
    return run;
  }
}
