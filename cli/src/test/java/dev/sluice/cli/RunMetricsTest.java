package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.run.ExperimentRun;
import dev.sluice.harness.run.RunSettings;
import dev.sluice.harness.serve.MetricsAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code run --metrics-port}: the meters of all roles in one process. */
@Tag("loop")
final class RunMetricsTest {
  private static final Duration LIMIT = Duration.ofSeconds(300);
  private static final Pattern ADDRESS =
      Pattern.compile("metrics at (http://127\\.0\\.0\\.1:\\d+/metrics)\n");

  @TempDir private Path folder;

  @Test
  void servesTheSeriesOfAllFourRoles_whileTheRunGoesOn() throws Exception {
    var loop = new Loop(folder, SharedBroker.get().bootstrapServers());
    var screen = new Screen();
    var settings =
        new RunSettings(
            loop.write(Loop.EMULATED),
            List.of("duration_seconds=5"),
            new RunSettings.Output(loop.results(), false, true, null),
            loop.bootstrap(),
            "scraped",
            null,
            false,
            false,
            new RunSettings.Watching(new MetricsAddress(0, null), null));
    var run = new ExperimentRun(settings, new Console(screen.stream(), false));
    CompletableFuture<Integer> status =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return run.execute();
              } catch (Exception e) {
                throw new AssertionError(screen.text(), e);
              }
            });
    screen.await(ADDRESS, LIMIT);
    Matcher address = ADDRESS.matcher(screen.text());
    assertThat(address.find()).isTrue();
    Set<String> served = Set.of();
    while (!served.containsAll(
        List.of(
            "sluice_jobs_sent_total",
            "sluice_facts_applied_total",
            "sluice_lanes_busy",
            "sluice_end_to_end_seconds_count"))) {
      assertThatThrownBy(() -> status.get(100, TimeUnit.MILLISECONDS))
          .as("the run goes on: " + screen.text())
          .isInstanceOf(TimeoutException.class);
      served = names(address.group(1));
    }
    assertThat(status.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
        .as(screen.text())
        .isIn(ExitStatus.DONE, ExitStatus.INCONCLUSIVE); // a busy machine spoils the run
  }

  private static Set<String> names(String address) throws IOException {
    try (var answer = URI.create(address).toURL().openStream()) {
      return new String(answer.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split("[{ ]", 2)[0])
          .collect(Collectors.toSet());
    }
  }
}
