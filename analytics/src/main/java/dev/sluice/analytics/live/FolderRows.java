package dev.sluice.analytics.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.analytics.folder.FinishedBatch;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.analytics.folder.TableRow;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobStatus;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.scheduling.policy.Choice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Rows of a finished run, from trace.csv, dispatches.csv and, if it is there, log.jsonl.gz. */
final class FolderRows extends RunSource {
  /** Most jobs whose classes are kept. */
  private static final int CLASSES_KEPT = 300_000;

  private static final long SECOND_NS = 1_000_000_000L;

  /** Beginning of an event's text in which its type stands. */
  private static final int BEGIN_BYTES = 64;

  private final FinishedRun run;

  /** Append of each answered batch's completion, by the batch's id. */
  private final Map<String, Long> completedNsById = new HashMap<>();

  /** Classes of all jobs, by the job's id; null: not read, or too many to keep. */
  private @Nullable Map<String, String> classesById;

  FolderRows(FinishedRun run) {
    this.run = run;
  }

  @Override
  void batches(Choice choice, Consumer<FinishedBatch> to) throws UserMistakeException {
    boolean first = completedNsById.isEmpty();
    run.eachBatch(
        batch -> {
          if (first && batch.times().completedNs() != Jobs.NONE) {
            completedNsById.put(batch.id(), batch.times().completedNs());
          }
          if (choice.reads(batch.laneId(), batch.startedNs(), batch.endedNs())) {
            to.accept(batch);
          }
        });
  }

  @Override
  void countJobs(FinishedWindows windows) throws UserMistakeException {
    Map<String, String> classes = new HashMap<>();
    run.eachJob(
        row -> {
          if (classes.size() <= CLASSES_KEPT) {
            classes.put(row.text("job_id"), row.name("class_type"));
          }
          count(row, windows);
        });
    classesById = classes.size() <= CLASSES_KEPT ? classes : null;
  }

  private void count(TableRow job, FinishedWindows windows) throws UserMistakeException {
    String className = job.name("class_type");
    JobStatus status = JobStatus.valueOf(job.name("status").toUpperCase(Locale.ROOT));
    Long completedNs = completedNsById.get(job.text("shard") + ":" + job.text("dispatch_id"));
    long endedNs = completedNs == null ? job.secondsAsNs("observed_time", Jobs.NONE) : completedNs;
    windows.take(
        className,
        status,
        job.secondsAsNs("sent_time") - job.secondsAsNs("enqueue_time"),
        job.secondsAsNs("appended_time"),
        job.secondsAsNs("decided_time", Jobs.NONE),
        endedNs,
        status == JobStatus.DONE ? job.msAsNs("e2e_ms") : 0,
        job.says("slo_violation", "0"));
  }

  @Override
  void blocked(Consumer<Blocked> to) throws UserMistakeException {
    if (Files.exists(run.folder().resolve(FolderFiles.METRICS))) {
      run.eachSecond(row -> blocked(row, to));
      return;
    }
    Path log = run.folder().resolve(FolderFiles.LOG);
    if (!Files.exists(log)) {
      return;
    }
    try (var reader = RecordingReader.ofLog(log, true)) {
      RecordedEntry entry;
      while ((entry = reader.next()) != null) {
        Blocked span = blocked(entry);
        if (span != null) {
          to.accept(span);
        }
      }
    }
  }

  /** A second's blocked time as spans: that of several shards is longer than a second. */
  private static void blocked(TableRow row, Consumer<Blocked> to) throws UserMistakeException {
    long fromNs = row.whole("second") * SECOND_NS;
    for (Blocked.Cause cause : Blocked.Cause.values()) {
      long leftNs = row.msAsNs("blocked_ms_" + cause.text(), 0);
      while (leftNs > 0) {
        long partNs = Math.min(SECOND_NS, leftNs);
        to.accept(new Blocked(fromNs, fromNs + partNs, cause));
        leftNs -= partNs;
      }
    }
  }

  /** The span that an entry holds; null if it holds anything else. */
  private static @Nullable Blocked blocked(RecordedEntry entry) {
    byte[] value = entry.value();
    String begin = new String(value, 0, Math.min(value.length, BEGIN_BYTES), UTF_8);
    if (!entry.topic().equals("outcomes") || !begin.contains("\"Blocked\"")) {
      return null;
    }
    try {
      return EventCodec.OUTCOMES.read(value) instanceof Blocked span ? span : null;
    } catch (UnreadableEventException e) {
      return null; // the run's report counts it
    }
  }

  @Override
  Map<String, String> classesOf(Set<String> jobIds) throws UserMistakeException {
    Map<String, String> classes = new HashMap<>();
    Map<String, String> kept = classesById;
    if (kept != null) {
      jobIds.stream().filter(kept::containsKey).forEach(id -> classes.put(id, kept.get(id)));
      return classes;
    }
    run.eachJob(
        row -> {
          if (jobIds.contains(row.text("job_id"))) {
            classes.put(row.text("job_id"), row.name("class_type"));
          }
        });
    return classes;
  }

  @Override
  int lanes() {
    return run.summary().path("lanes").asInt();
  }
}
