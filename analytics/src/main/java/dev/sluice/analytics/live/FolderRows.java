package dev.sluice.analytics.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.analytics.row.JobStatus;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.value.ModelKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Rows of a finished run, from trace.csv, dispatches.csv and, if it is there, log.jsonl.gz. */
final class FolderRows implements RunSource {
  /** Most jobs whose classes are kept. */
  private static final int CLASSES_KEPT = 300_000;

  private static final long SECOND_NS = 1_000_000_000L;

  /** Beginning of an event's text in which its type stands. */
  private static final int BEGIN_BYTES = 64;

  private final FinishedRun run;

  /** Models by name, workload, backend and precision joined: most rows name one of a few. */
  private final Map<String, ModelKey> models = new HashMap<>();

  /** Append of each answered batch's completion, by the batch's id. */
  private final Map<String, Long> completedNsById = new HashMap<>();

  /** Batches that ran; null before the first reading. */
  private @Nullable BatchSpans spans;

  /** Classes of all jobs, by the job's id; null: not read, or too many to keep. */
  private @Nullable Map<String, String> classesById;

  FolderRows(FinishedRun run) {
    this.run = run;
  }

  @Override
  public void countInto(FinishedWindows windows) throws UserMistakeException {
    batches(windows::take);
    jobs(windows::take);
  }

  @Override
  public void batchesBetween(long fromNs, long toNs, Consumer<RunBatch> to)
      throws UserMistakeException {
    batches(
        batch -> {
          Long startedNs = batch.times().startedNs();
          Long endedNs = batch.times().endedNs();
          if (startedNs != null && endedNs != null && endedNs > fromNs && startedNs < toNs) {
            to.accept(batch);
          }
        });
  }

  private void batches(Consumer<RunBatch> to) throws UserMistakeException {
    boolean first = spans == null;
    var read = new BatchSpans();
    run.eachDispatch(
        row -> {
          RunBatch batch = batch(row);
          if (first) {
            keep(batch, read);
          }
          to.accept(batch);
        });
    spans = first ? read : spans;
  }

  /** Keeps of a batch what other tables need. */
  private void keep(RunBatch batch, BatchSpans read) {
    Long startedNs = batch.times().startedNs();
    Long endedNs = batch.times().endedNs();
    Long completedNs = batch.times().completedNs();
    if (startedNs != null && endedNs != null) {
      read.add(batch.laneId(), startedNs, endedNs);
    }
    if (completedNs != null) {
      completedNsById.put(batch.id(), completedNs);
    }
  }

  @Override
  public BatchSpans spans() throws UserMistakeException {
    if (spans == null) {
      batches(batch -> {});
    }
    return Objects.requireNonNull(spans);
  }

  private RunBatch batch(FinishedRun.Line row) {
    String jobIds = row.text("job_ids");
    int end = jobIds.indexOf(' ');
    return new RunBatch(
        row.whole("shard"),
        row.text("dispatch_id"),
        row.text("lane_id"),
        new RunBatch.Jobs(
            end < 0 ? jobIds : jobIds.substring(0, end),
            (int) jobIds.chars().filter(c -> c == ' ').count() + 1,
            row.whole("samples")),
        row.whole("tokens"),
        row.whole("attempt"),
        row.text("result"),
        new RunBatch.Times(
            row.required("decided_time", 1e9),
            row.ns("start_time", 1e9),
            row.ns("end_time", 1e9),
            row.ns("completed_time", 1e9)),
        model(row.text("workload_name"), row.text("backend"), row.text("precision")),
        new RunBatch.Predicted(
            row.required("predicted_service_ms", 1e6),
            row.ns("predicted_p95_ms", 1e6),
            row.ns("predicted_p99_ms", 1e6)),
        row.ns("service_ms", 1e6),
        () -> row.text("score_terms"));
  }

  private ModelKey model(String workload, String backend, String precision) {
    return models.computeIfAbsent(
        workload + '\n' + backend + '\n' + precision,
        name -> new ModelKey(workload, backend, precision));
  }

  /** Reads all jobs, after the batches. */
  private void jobs(Consumer<RunJob> to) throws UserMistakeException {
    Map<String, String> classes = new HashMap<>();
    run.eachJob(
        row -> {
          if (classes.size() <= CLASSES_KEPT) {
            classes.put(row.text("job_id"), row.text("class_type"));
          }
          to.accept(job(row));
        });
    classesById = classes.size() <= CLASSES_KEPT ? classes : null;
  }

  private RunJob job(FinishedRun.Line row) {
    JobStatus status = JobStatus.valueOf(row.text("status").toUpperCase(Locale.ROOT));
    Long completedNs = completedNsById.get(row.text("shard") + ":" + row.text("dispatch_id"));
    return new RunJob(
        row.text("class_type"),
        status,
        row.required("enqueue_time", 1e9),
        row.required("sent_time", 1e9),
        row.required("appended_time", 1e9),
        row.ns("decided_time", 1e9),
        completedNs == null ? row.ns("observed_time", 1e9) : completedNs,
        status == JobStatus.DONE ? row.required("e2e_ms", 1e6) : 0,
        row.text("slo_violation").equals("0"));
  }

  @Override
  public void blocked(Consumer<Blocked> to) throws UserMistakeException {
    if (Files.exists(run.folder().resolve(FolderFiles.METRICS))) {
      run.eachSecond(row -> blocked(row, to));
      return;
    }
    Path log = run.folder().resolve(FolderFiles.LOG);
    if (!Files.exists(log)) {
      return;
    }
    try (var reader = RecordingReader.open(log, true)) {
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
  private static void blocked(FinishedRun.Line row, Consumer<Blocked> to) {
    long fromNs = row.whole("second") * SECOND_NS;
    for (Blocked.Cause cause : Blocked.Cause.values()) {
      Long blockedNs = row.ns("blocked_ms_" + cause.text(), 1e6);
      long leftNs = blockedNs == null ? 0 : blockedNs;
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
  public Map<String, String> classesOf(Set<String> jobIds) throws UserMistakeException {
    Map<String, String> classes = new HashMap<>();
    Map<String, String> kept = classesById;
    if (kept != null) {
      jobIds.stream().filter(kept::containsKey).forEach(id -> classes.put(id, kept.get(id)));
      return classes;
    }
    run.eachJob(
        row -> {
          if (jobIds.contains(row.text("job_id"))) {
            classes.put(row.text("job_id"), row.text("class_type"));
          }
        });
    return classes;
  }

  @Override
  public int lanes() {
    return run.summary().path("lanes").asInt();
  }
}
