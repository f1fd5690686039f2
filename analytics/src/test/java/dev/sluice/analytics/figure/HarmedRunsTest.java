package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.HandMadeRun.Batch.ON_LANE_0;
import static dev.sluice.analytics.figure.HandMadeRun.Batch.onLanes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.RunCheck;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.experiment.ResolvedConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the check says of runs whose processes were killed, as {@code chaos} kills them. */
final class HarmedRunsTest {
  private static final long MS = 1_000_000;

  @TempDir private Path folder;
  private final HandMadeRun run = new HandMadeRun();

  @Test
  void aJobThatItsFirstAttemptEnded_afterASecondHadBegun() throws Exception {
    String job = run.job(1000);
    var first = run.dispatched(ON_LANE_0, job, 1000, 100 * MS);
    var again = new HandMadeRun.Batch("local", 1, List.of(1), 2);
    var second = run.dispatched(again, job, 1500, 100 * MS);
    run.answered(ON_LANE_0, first, Result.DONE, 1001 * MS, 1600 * MS, 599 * MS);
    run.put(
        "outcomes",
        new JobEnded(job, JobEnded.Status.DONE, null, first, /* attempts= */ 2, 1601 * MS),
        1602);
    run.answered(again, second, Result.DONE, 1510 * MS, 1700 * MS, 190 * MS);
    write();
    assertThat(faults(Rule.ATTEMPT)).isEmpty();
    assertThat(faults(Rule.RESULT)).isEmpty();
    assertThat(run.figure("emulation_count")).isEqualTo(2); // both were emulated
    assertThat(faults(Rule.SUMMARY)).noneMatch(fault -> fault.contains("emulation"));
    change("dispatches.csv", ",1,84,1,done,", ",1,84,2,done,");
    assertThat(faults(Rule.ATTEMPT)).isNotEmpty();
  }

  @Test
  void jobsThatNoGeneratorSent_areMissingWithoutAFault_onlyIfTheRunSaysSo() throws Exception {
    run.batch(ON_LANE_0, run.job(1000), 1000, 1100, 1200);
    run.skipJobs(7);
    run.batch(onLanes(1), run.job(2000), 2000, 2100, 2200);
    run.endedWithout(7L, 2);
    write();
    assertThat(run.figure("jobs_never_sent")).isEqualTo(7);
    assertThat(run.rows().log().faults())
        .contains("7 jobs meant for 1.0 s to 2.0 s were never sent");
    assertThat(faults(Rule.JOB_ONCE)).isEmpty();
    change("summary.json", "\"jobs_never_sent\" : 7", "\"jobs_never_sent\" : 6");
    assertThat(faults(Rule.JOB_ONCE)).hasSize(7).allMatch(fault -> fault.contains("is missing"));
  }

  /** The rows end before the jobs that were left out: only the run's end tells of them. */
  @Test
  void jobsThatNoGeneratorSentAtTheEnd_areToldAsWell() {
    run.batch(ON_LANE_0, run.job(1000), 1000, 1100, 1200);
    run.skipJobs(7);
    run.batch(onLanes(1), run.job(2000), 2000, 2100, 2200);
    run.endedWithout(10L, 2);
    assertThat(run.rows().log().faults())
        .contains(
            "7 jobs meant for 1.0 s to 2.0 s were never sent",
            "3 jobs meant for after 2.0 s were never sent");
    assertThat(run.summary().notComparableReasons())
        .contains("3 jobs meant for after 2.0 s were never sent");
  }

  /** A run that analytics ended, since its generators were gone, says that it does not know. */
  @Test
  void jobsThatMayNeverHaveBeenSent_areNoFault_ifTheRunIsNotComparable() throws Exception {
    run.batch(ON_LANE_0, run.job(1000), 1000, 1100, 1200);
    run.skipJobs(7);
    run.batch(onLanes(1), run.job(2000), 2000, 2100, 2200);
    run.endedWithout(null, 2);
    write();
    assertThat(run.summary().values()).containsEntry("jobs_never_sent", null);
    assertThat(faults(Rule.JOB_ONCE)).isEmpty();
    Path summary = folder.resolve("summary.json");
    var json = new ObjectMapper();
    var silent = (ObjectNode) json.readTree(summary.toFile());
    silent.putArray("not_comparable");
    json.writeValue(summary.toFile(), silent);
    assertThat(faults(Rule.JOB_ONCE)).hasSize(7);
  }

  private void write() throws Exception {
    var report = run.report();
    report.writeRows(folder);
    report.writeSummary(folder);
    Files.writeString(folder.resolve("config.yaml"), ResolvedConfig.write(run.experiment));
  }

  private void change(String file, String from, String to) throws Exception {
    Path path = folder.resolve(file);
    String text = Files.readString(path);
    assertThat(text).contains(from);
    Files.writeString(path, text.replace(from, to));
  }

  private List<String> faults(Rule rule) throws Exception {
    return RunCheck.of(folder).faults().stream()
        .filter(fault -> fault.rule() == rule)
        .map(Object::toString)
        .toList();
  }
}
