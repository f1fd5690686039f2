package dev.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.check.CheckReport.Fault;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.RunCheck;
import dev.sluice.harness.simulate.SimulatedFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the rule on requests says of a run in whose tail no generator ran for a while. The lane is
 * slower than the load, so that measured jobs end long after the window, and the tail goes on.
 */
final class DeadGeneratorTest {
  private static final String EXPERIMENT =
      """
      run_name: tail
      duration_seconds: 4
      warmup_seconds: 1
      tail_seconds: 6
      arrival_rate_jobs_per_sec: 60
      workloads:
        - {name: small, alpha_ms: 25, beta_ms: 3, tokens: 30}
      backends_enabled: [onnx]
      precision_modes: [fp32]
      batch_sizes: [1]
      scheduler_name: fifo
      lanes: {num_lanes: 1, kind: emulated}
      """;

  @TempDir private static Path root;
  private static Path sound;
  private static int copies;

  @BeforeAll
  static void simulate() throws Exception {
    sound = root.resolve("sound");
    SimulatedFolder.write(Files.writeString(root.resolve("tail.yaml"), EXPERIMENT), sound);
  }

  @Test
  void jobsOfTheTail_whichTheRunSaysWereNeverSent_areNoFault() throws Exception {
    FolderCopy copy = withoutLog();
    int cut = cutFromTheTail(copy);
    assertThat(missing(copy)).as("without a word").hasSize(cut);
    says(copy, "0", Integer.toString(cut));
    assertThat(missing(copy)).isEmpty();
    says(copy, Integer.toString(cut), Integer.toString(cut - 1));
    assertThat(missing(copy)).as("one too many").hasSize(cut);
  }

  @Test
  void aRunThatSaysThatMoreJobsWereNeverSent_thanAreMissing_isAtFault() throws Exception {
    FolderCopy copy = withoutLog();
    says(copy, "0", "1000");
    assertThat(missing(copy))
        .singleElement()
        .matches(fault -> fault.where().equals("summary.json jobs_never_sent"))
        .matches(fault -> fault.what().startsWith("it says (1000), and of the list ("));
  }

  @Test
  void aRunThatDoesNotKnow_passesOnlyIfItIsNotComparable() throws Exception {
    FolderCopy copy = withoutLog();
    int cut = cutFromTheTail(copy);
    says(copy, "0", "null");
    assertThat(missing(copy)).hasSize(cut);
    copy.plant("summary", "\"not_comparable\" : [", "\"not_comparable\" : [ \"a fault\"");
    assertThat(missing(copy)).isEmpty();
  }

  @Test
  void theLogHasTheLastWord() throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("log"));
    assertThat(RunCheck.of(copy.folder()).faults()).isEmpty();
    says(copy, "0", "7");
    assertThat(RunCheck.of(copy.folder()).faults())
        .extracting(Fault::toString)
        .anyMatch(fault -> fault.contains("jobs_never_sent"));
  }

  private static FolderCopy withoutLog() throws Exception {
    FolderCopy copy = FolderCopy.of(sound, root.resolve("copy-" + copies++));
    Files.delete(copy.folder().resolve("log.jsonl.gz"));
    return copy;
  }

  /** Takes the jobs meant for 4.5 s to 5.2 s out of the trace, and returns how many there were. */
  private static int cutFromTheTail(FolderCopy copy) throws Exception {
    int id = copy.column("trace", "job_id");
    int enqueued = copy.column("trace", "enqueue_time");
    List<String> cut =
        copy.rows("trace", "phase", "tail", "enqueue_time").stream()
            .filter(row -> Double.parseDouble(row[enqueued]) >= 4.5)
            .filter(row -> Double.parseDouble(row[enqueued]) < 5.2)
            .map(row -> row[id])
            .toList();
    assertThat(cut).hasSizeGreaterThan(20);
    for (String job : cut) {
      copy.plant("trace", "job_id=" + job, "delete");
    }
    return cut.size();
  }

  private static void says(FolderCopy copy, String before, String now) throws Exception {
    copy.plant("summary", "\"jobs_never_sent\" : " + before, "\"jobs_never_sent\" : " + now);
  }

  private static List<Fault> missing(FolderCopy copy) throws Exception {
    return RunCheck.of(copy.folder()).faults().stream()
        .filter(fault -> fault.rule() == Rule.REQUESTS)
        .toList();
  }
}
