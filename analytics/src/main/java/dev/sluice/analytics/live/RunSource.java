package dev.sluice.analytics.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.FinishedBatch;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobStatus;
import dev.sluice.analytics.row.TableRow;
import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.analytics.statistic.LongColumn;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.value.DispatchId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Rows of a finished run, from memory or from its folder; both give equal rows. */
abstract class RunSource {
  /** Batches that ran; null before the first reading. */
  private @Nullable BatchSpans spans;

  /** The rows in a run's folder. */
  static RunSource of(FinishedRun run) {
    return new FolderRows(run);
  }

  /** The rows of a run that has just ended, as its tables will have them. */
  static RunSource of(RunRows run) {
    return new MemoryRows(run);
  }

  /** Chooses attempts by what is known before a row is made of them. */
  @FunctionalInterface
  interface Choice {
    /** Returns whether an attempt is read; a time that never came is {@link Jobs#NONE}. */
    boolean reads(String laneId, long startedNs, long endedNs);
  }

  /**
   * Reads chosen attempts, by decision; all of them are shown to the choice.
   *
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  abstract void batches(Choice choice, Consumer<FinishedBatch> to) throws UserMistakeException;

  /**
   * Counts all jobs, after the batches.
   *
   * @throws UserMistakeException if trace.csv cannot be read
   */
  abstract void countJobs(FinishedWindows windows) throws UserMistakeException;

  /**
   * Reads the spans in which lanes stood idle beside work that waited; none if the folder keeps
   * none.
   *
   * @throws UserMistakeException if the file that holds the spans cannot be read
   */
  abstract void blocked(Consumer<Blocked> to) throws UserMistakeException;

  /**
   * Reads the classes of some jobs, by the job's id.
   *
   * @throws UserMistakeException if trace.csv cannot be read
   */
  abstract Map<String, String> classesOf(Set<String> jobIds) throws UserMistakeException;

  /** Number of lanes of all executors that reported. */
  abstract int lanes();

  /**
   * Counts all attempts and jobs by the second.
   *
   * @throws UserMistakeException if a table cannot be read
   */
  final void countInto(FinishedWindows windows) throws UserMistakeException {
    readSpans(true, windows::take);
    countJobs(windows);
  }

  /**
   * Reads the attempts that ran in a stretch of time, by decision.
   *
   * @param fromNs begin of the stretch
   * @param toNs its end, exclusive
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  final void batchesBetween(long fromNs, long toNs, Consumer<FinishedBatch> to)
      throws UserMistakeException {
    batches(
        (laneId, startedNs, endedNs) ->
            startedNs != Jobs.NONE && endedNs != Jobs.NONE && endedNs > fromNs && startedNs < toNs,
        to);
  }

  /**
   * The batches that ran, in short.
   *
   * @throws UserMistakeException if dispatches.csv cannot be read
   */
  final BatchSpans spans() throws UserMistakeException {
    return spans == null ? readSpans(false, batch -> {}) : spans;
  }

  private BatchSpans readSpans(boolean all, Consumer<FinishedBatch> to)
      throws UserMistakeException {
    var read = new BatchSpans();
    batches(
        (laneId, startedNs, endedNs) -> {
          if (startedNs != Jobs.NONE && endedNs != Jobs.NONE) {
            read.add(laneId, startedNs, endedNs);
          }
          return all;
        },
        to);
    spans = read;
    return read;
  }

  /** Rows of a finished run, from trace.csv, dispatches.csv and, if it is there, log.jsonl.gz. */
  private static final class FolderRows extends RunSource {
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
      long endedNs =
          completedNs == null ? job.secondsAsNs("observed_time", Jobs.NONE) : completedNs;
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

  /** Rows of a run that has just ended, as its tables will have them. */
  private static final class MemoryRows extends RunSource {
    private final RunRows run;

    MemoryRows(RunRows run) {
      this.run = run;
    }

    @Override
    void batches(Choice choice, Consumer<FinishedBatch> to) {
      Batches batches = run.batches();
      for (int i = 0; i < batches.size(); i++) {
        int batch = batches.at(i);
        long startedNs = micros(batches.startedAtNs(batch));
        long endedNs = micros(batches.finishedAtNs(batch));
        if (choice.reads(batches.laneId(batch), startedNs, endedNs)) {
          to.accept(batch(batches, batch));
        }
      }
    }

    @Override
    void countJobs(FinishedWindows windows) {
      Jobs jobs = run.jobs();
      for (int i = 0; i < jobs.size(); i++) {
        count(jobs, jobs.at(i), windows);
      }
    }

    private void count(Jobs jobs, int job, FinishedWindows windows) {
      JobStatus status = jobs.status(job);
      int batch = jobs.batch(job);
      windows.take(
          run.classNames().get(run.classOf(job)),
          status,
          micros(jobs.sentAtNs(job)) - micros(jobs.intendedAtNs(job)),
          micros(jobs.appendedAtNs(job)),
          batch < 0 ? Jobs.NONE : micros(run.batches().decidedAtNs(batch)),
          endedNs(jobs, job, batch),
          status == JobStatus.DONE ? jobs.endToEndNs(job) : 0,
          !jobs.isViolation(job));
    }

    /** End of a job as the tables hold it; {@link Jobs#NONE}: it is in no table. */
    private long endedNs(Jobs jobs, int job, int batch) {
      long completedNs = batch < 0 ? Jobs.NONE : run.batches().completedAtNs(batch);
      long endedNs = completedNs == Jobs.NONE ? jobs.observedAtNs(job) : completedNs;
      return micros(endedNs);
    }

    private FinishedBatch batch(Batches rows, int batch) {
      return new FinishedBatch(
          rows.shard(batch),
          new DispatchId(rows.factOffset(batch), rows.index(batch)),
          rows.laneId(batch),
          new FinishedBatch.Members(
              run.jobs().id(rows.job(batch, 0)), rows.jobCount(batch), rows.samples(batch)),
          rows.tokens(batch),
          rows.attempt(batch),
          rows.result(batch),
          new FinishedBatch.Times(
              micros(rows.decidedAtNs(batch)),
              micros(rows.startedAtNs(batch)),
              micros(rows.finishedAtNs(batch)),
              micros(rows.completedAtNs(batch))),
          rows.model(batch),
          new FinishedBatch.Predicted(
              rows.predictedNs(batch), rows.predictedP95Ns(batch), rows.predictedP99Ns(batch)),
          rows.ran(batch) ? rows.serviceNs(batch) : Jobs.NONE,
          rows.emulatedServiceNs(batch),
          rows.busyLanes(batch),
          () -> rows.scoreTerms(batch));
    }

    @Override
    void blocked(Consumer<Blocked> to) {
      run.blocked().forEach(to);
    }

    @Override
    Map<String, String> classesOf(Set<String> jobIds) {
      Map<String, String> classes = new HashMap<>();
      Jobs jobs = run.jobs();
      for (int i = 0; i < jobs.size() && classes.size() < jobIds.size(); i++) {
        String id = jobs.id(jobs.at(i));
        if (jobIds.contains(id)) {
          classes.put(id, jobs.kind(jobs.at(i)).classType());
        }
      }
      return classes;
    }

    @Override
    int lanes() {
      return run.lanes();
    }

    /** What the tables keep of a time: microseconds, half up; nothing of {@link Jobs#NONE}. */
    private static long micros(long ns) {
      return ns == Jobs.NONE ? Jobs.NONE : Math.floorDiv(ns + 500, 1000L) * 1000L;
    }
  }

  /** Lane, start and end of each batch that ran, in little memory and in no order. */
  static final class BatchSpans {
    private final Interned<String> laneIds = new Interned<>();
    private final IntColumn lanes = new IntColumn(0);
    private final LongColumn startsNs = new LongColumn(0);
    private final LongColumn endsNs = new LongColumn(0);
    private int count;

    void add(String laneId, long startNs, long endNs) {
      lanes.set(count, laneIds.number(laneId));
      startsNs.set(count, startNs);
      endsNs.set(count++, endNs);
    }

    /** Number of batches. */
    int count() {
      return count;
    }

    /** Start of the first batch; {@link Long#MAX_VALUE} without one. */
    long firstNs() {
      return IntStream.range(0, count).mapToLong(startsNs::get).min().orElse(Long.MAX_VALUE);
    }

    /** End of the last batch; 0 without one. */
    long lastNs() {
      return IntStream.range(0, count).mapToLong(endsNs::get).max().orElse(0);
    }

    /** Number of batches that ran in a stretch of time. */
    int overlapping(long fromNs, long toNs) {
      int overlapping = 0;
      for (int i = 0; i < count; i++) {
        overlapping += endsNs.get(i) > fromNs && startsNs.get(i) < toNs ? 1 : 0;
      }
      return overlapping;
    }

    /** Busy time of each lane, by its id, in equal spans from time zero on. */
    Map<String, double[]> busyNs(long spanNs, int spans) {
      double[][] busyNs = new double[laneIds.values().size()][spans];
      for (int i = 0; i < count; i++) {
        long fromNs = Math.max(0, startsNs.get(i));
        while (fromNs < endsNs.get(i) && fromNs / spanNs < spans) {
          long toNs = Math.min(endsNs.get(i), (fromNs / spanNs + 1) * spanNs);
          busyNs[lanes.get(i)][(int) (fromNs / spanNs)] += toNs - fromNs;
          fromNs = toNs;
        }
      }
      Map<String, double[]> byLane = new HashMap<>();
      for (int lane = 0; lane < busyNs.length; lane++) {
        byLane.put(laneIds.get(lane), busyNs[lane]);
      }
      return byLane;
    }
  }
}
