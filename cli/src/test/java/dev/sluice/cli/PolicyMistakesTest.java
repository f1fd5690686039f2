package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.file.Range;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Weight;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes in a policy's parameters, and policies on lanes that cannot do what they ask. */
final class PolicyMistakesTest {
  private static final String EXPERIMENT =
      """
      duration_seconds: 5
      arrival_rate_jobs_per_sec: 50
      workloads: [%s]
      backends_enabled: [onnx]
      lanes: {num_lanes: 2, kind: %s}
      scheduler_name: %s
      scheduler:
        %s: %s
      """;

  private static final int LINE = 8;

  @TempDir private Path folder;

  static List<String> withParameters() {
    return Policies.names().stream().filter(name -> !Policies.weights(name).isEmpty()).toList();
  }

  private BadInputCommand run(String policy, String key, Object value) throws Exception {
    return sluice("run", file("emulated", policy, key, value).toString());
  }

  private Path file(String kind, String policy, String key, Object value) throws Exception {
    boolean real = kind.equals("real");
    String workload = real ? "vit_tiny" : "{name: steady, alpha_ms: 30, beta_ms: 1, tokens: 10}";
    String text = EXPERIMENT.formatted(workload, kind, policy, key, value);
    return Files.writeString(folder.resolve("policy.yaml"), text);
  }

  @ParameterizedTest
  @MethodSource("withParameters")
  void theRangeIsNamed_whenAParameterIsOutsideIt(String policy) throws Exception {
    for (Weight weight : Policies.weights(policy)) {
      for (double outside : new double[] {weight.least() - 1, weight.most() * 1.5}) {
        String value = BigDecimal.valueOf(outside).toPlainString();
        run(policy, weight.name(), value)
            .isRefused(1)
            .says("policy.yaml:" + LINE + ": error: scheduler." + weight.name() + " (")
            .says("must be " + Range.within(weight.least(), weight.most()).words() + ".");
        assertThat(Policies.mistakeIn(policy, Map.of(weight.name(), outside)))
            .hasValueSatisfying(
                mistake ->
                    assertThat(mistake.what())
                        .endsWith(
                            "must be " + Range.within(weight.least(), weight.most()).words()));
      }
      run(policy, weight.name(), "much").isRefused(1).says("(much) must be a number");
    }
  }

  @ParameterizedTest
  @MethodSource("withParameters")
  void theKnownParametersAreNamed_whenOneIsUnknown(String policy) throws Exception {
    run(policy, "patience", 1)
        .isRefused(1)
        .says("policy.yaml:" + LINE + ": error: the key scheduler.patience is unknown")
        .says(Policies.weights(policy).get(0).name());
  }

  @ParameterizedTest
  @CsvSource({"nexus, lazy_drop, 0.5, 0", "clockwork, max_batch, 2.7, 3"})
  void whatCountsOrChooses_isAWholeNumber(String policy, String key, double value, String maybe)
      throws Exception {
    run(policy, key, value)
        .isRefused(1)
        .says("policy.yaml:" + LINE + ": error: scheduler." + key + " (" + value + ") must be a")
        .says("Maybe you meant " + maybe + ".");
  }

  static Stream<List<String>> liveCommands() {
    return Stream.of(
        List.of("run"),
        List.of("run", "--processes"),
        List.of("run", "--dry-run"),
        List.of("run", "--repeat", "8", "--versus", "seed=9", "--anyway"),
        List.of("schedule", "--bootstrap", "localhost:1", "--run-id", "x"),
        List.of("execute", "--bootstrap", "localhost:1", "--run-id", "x"),
        List.of("capacity", "--between", "10..20", "--target", "slo_violation_rate<0.01"));
  }

  @ParameterizedTest
  @MethodSource("liveCommands")
  void aPolicyThatCancelsIsRefused_onRealLanes(List<String> command) throws Exception {
    List<String> words = new ArrayList<>(command);
    words.add(1, file("real", "shepherd", "lambda", 3).toString());
    sluice(words.toArray(String[]::new))
        .isRefused(1)
        .says("policy.yaml:6: error: scheduler (shepherd) cancels running batches")
        .says("Maybe you meant shepherd_nonpreemptive, or lanes.kind: emulated.");
    assertThat(BadInputCommand.held(folder)).hasSize(1);
  }

  @Test
  void eachPolicyOfACapacityIsReadBeforeTheFirstRun() throws Exception {
    Path real = file("real", "dynamic", "urgency", 1);
    sluice(
            "capacity",
            real.toString(),
            "--set",
            "scheduler={}",
            "--policies",
            "fifo,shepherd",
            "--between",
            "10..20",
            "--target",
            "slo_violation_rate<0.01")
        .isRefused(1)
        .says("scheduler (shepherd) cancels running batches");
  }
}
