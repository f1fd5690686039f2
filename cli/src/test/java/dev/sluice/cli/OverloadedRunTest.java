package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run of which most jobs are left over: it ends as any other, with every job in its results. */
@Tag("loop")
final class OverloadedRunTest {
  private static final int RATE = 4_000;

  @TempDir private Path folder;

  @Test
  void accountsForEveryJob_whenTheLoadEndsWhileThousandsWait() throws Exception {
    var loop = new Loop(folder, SharedBroker.get().bootstrapServers());
    Ended run =
        loop.run(
            "overloaded",
            "duration_seconds=2",
            "tail_seconds=0",
            "arrivals=constant",
            "arrival_rate_jobs_per_sec=" + RATE,
            "workloads=[{name: slow, alpha_ms: 200, beta_ms: 0, tokens: 1}]",
            "scheduler_name=fifo");
    assertThat(run.status()).as(run.text()).isNotEqualTo(2);
    assertThat(run.folder()).as(run.text()).exists();

    List<Map<String, String>> jobs = run.rows("trace.csv");
    assertThat(jobs.stream().map(row -> row.get("job_id")))
        .as("each job once")
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, jobs.size()).mapToObj(i -> "job-" + i).toList());
    assertThat(jobs).hasSizeGreaterThanOrEqualTo(2 * RATE);
    assertThat(jobs).extracting(row -> row.get("status")).containsOnly("done", "dropped");
    assertThat(jobs.stream().filter(row -> row.get("reason").equals("run_ended")).count())
        .as("dropped in several slices")
        .isGreaterThan(1_500);
    assertThat(run.summary().path("all_open").asInt(-1)).isZero();

    List<String> late =
        StreamSupport.stream(run.summary().path("not_comparable").spliterator(), false)
            .map(reason -> reason.asText())
            .filter(reason -> reason.contains(" decided "))
            .toList();
    assertThat(late).as("said once, if at all, however busy the machine").hasSizeLessThan(2);
  }
}
