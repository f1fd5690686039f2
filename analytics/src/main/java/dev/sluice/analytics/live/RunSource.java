package dev.sluice.analytics.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.FinishedBatch;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Jobs.JobStatus;
import dev.sluice.analytics.row.TableRow;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a finished run, from memory or from its folder; both give equal rows. Methods throw
 * {@link UserMistakeException} if a table of the folder cannot be read.
 */
interface RunSource {
  static RunSource of(FinishedRun run) {
    return new FolderRows(run, new HashMap<>());
  }

  /** The rows of a run that has just ended, as its tables will have them. */
  static RunSource of(RunRows run) {
    return new MemoryRows(run);
  }

  /** Reads all attempts, by decision. */
  void batches(Consumer<FinishedBatch> to) throws UserMistakeException;

  void countJobs(FinishedWindows windows) throws UserMistakeException;

  /** Reads the spans in which lanes stood idle beside work that waited, if the run keeps them. */
  void blocked(Consumer<Blocked> to) throws UserMistakeException;

  /** Reads the classes of some jobs, by the job's id. */
  Map<String, String> classesOf(Set<String> jobIds) throws UserMistakeException;

  /** Number of lanes of all executors that reported. */
  int lanes();

  RunConfig config() throws UserMistakeException;

  /**
   * Rows of a finished run, from trace.csv, dispatches.csv and, if it is there, log.jsonl.gz.
   *
   * @param completedNsById when each attempt that has been read was completed, by the batch's id
   */
  record FolderRows(FinishedRun run, Map<String, Long> completedNsById) implements RunSource {
    private static final long SECOND_NS = 1_000_000_000L;

    /**
     * Beginning of an event's text in which its type stands, also where another program wrote it.
     */
    private static final int BEGIN_BYTES = 64;

    @Override
    public void batches(Consumer<FinishedBatch> to) throws UserMistakeException {
      run.each(
          FolderFiles.DISPATCHES,
          row -> {
            FinishedBatch batch = FinishedBatch.of(row);
            completedNsById.put(batch.id(), batch.times().completedNs());
            to.accept(batch);
          });
    }

    @Override
    public void countJobs(FinishedWindows windows) throws UserMistakeException {
      if (completedNsById.isEmpty()) {
        batches(batch -> {});
      }
      run.each(
          FolderFiles.TRACE,
          job -> {
            JobStatus status = JobStatus.valueOf(job.name("status").toUpperCase(Locale.ROOT));
            long completedNs =
                completedNsById.getOrDefault(
                    job.text("shard") + ":" + job.text("dispatch_id"), Jobs.NONE);
            windows.take(
                job.name("class_type"),
                status,
                job.secondsAsNs("sent_time") - job.secondsAsNs("enqueue_time"),
                job.secondsAsNs("appended_time"),
                job.secondsAsNs("decided_time", Jobs.NONE),
                completedNs == Jobs.NONE
                    ? job.secondsAsNs("observed_time", Jobs.NONE)
                    : completedNs,
                status == JobStatus.DONE ? job.msAsNs("e2e_ms") : 0,
                job.says("slo_violation", "0"));
          });
    }

    @Override
    public void blocked(Consumer<Blocked> to) throws UserMistakeException {
      if (Files.exists(run.folder().resolve(FolderFiles.METRICS))) {
        run.each(FolderFiles.METRICS, row -> blocked(row, to));
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
      return entry.topic().equals("outcomes")
              && begin.contains("\"Blocked\"")
              && EventCodec.OUTCOMES.find(value).orElse(null) instanceof Blocked span
          ? span
          : null; // the run's report counts what is no event
    }

    @Override
    public Map<String, String> classesOf(Set<String> jobIds) throws UserMistakeException {
      Map<String, String> classes = new HashMap<>();
      run.each(
          FolderFiles.TRACE,
          row -> {
            if (jobIds.contains(row.text("job_id"))) {
              classes.put(row.text("job_id"), row.name("class_type"));
            }
          });
      return classes;
    }

    @Override
    public int lanes() {
      return run.summary().path("lanes").asInt();
    }

    @Override
    public RunConfig config() throws UserMistakeException {
      return Run.of(run).config();
    }
  }

  /** Rows of a run that has just ended, as its tables will have them. */
  record MemoryRows(RunRows run) implements RunSource {
    @Override
    public void batches(Consumer<FinishedBatch> to) {
      for (BatchRow batch : run.batches().all()) {
        to.accept(
            new FinishedBatch(
                batch.shard(),
                batch.id(),
                batch.laneId(),
                new FinishedBatch.Members(
                    batch.jobs()[0].id(), batch.jobs().length, batch.samples()),
                batch.tokens(),
                batch.attempt(),
                batch.result(),
                new FinishedBatch.Times(
                    micros(batch.decidedAtNs()),
                    micros(batch.startedAtNs()),
                    micros(batch.finishedAtNs()),
                    micros(batch.completedAtNs())),
                batch.kind().model(),
                new FinishedBatch.Predicted(
                    batch.predictedNs(), batch.upperNs().p95Ns(), batch.upperNs().p99Ns()),
                batch.ran() ? batch.serviceNs() : Jobs.NONE,
                batch.emulatedServiceNs(),
                batch.busyLanes(),
                batch::scoreTerms));
      }
    }

    @Override
    public void countJobs(FinishedWindows windows) {
      for (JobRow job : run.jobs().all()) {
        BatchRow batch = job.batch();
        long completedNs = batch == null ? Jobs.NONE : batch.completedAtNs();
        windows.take(
            job.kind().classType(),
            job.status(),
            micros(job.sentAtNs()) - micros(job.intendedAtNs()),
            micros(job.appendedAtNs()),
            batch == null ? Jobs.NONE : micros(batch.decidedAtNs()),
            micros(completedNs == Jobs.NONE ? job.observedAtNs() : completedNs),
            job.isDone() ? job.endToEndNs() : 0,
            !job.isViolation());
      }
    }

    @Override
    public void blocked(Consumer<Blocked> to) {
      run.log().blocked().forEach(to);
    }

    @Override
    public Map<String, String> classesOf(Set<String> jobIds) {
      Map<String, String> classes = new HashMap<>();
      for (JobRow job : run.jobs().all()) {
        String id = job.id();
        if (jobIds.contains(id)) {
          classes.put(id, job.kind().classType());
        }
      }
      return classes;
    }

    @Override
    public int lanes() {
      return run.log().lanes();
    }

    @Override
    public RunConfig config() {
      return RunConfig.of(ResolvedConfig.write(run.context().experiment()));
    }

    /** What the tables keep of a time: microseconds, half up; nothing of {@link Jobs#NONE}. */
    private static long micros(long ns) {
      return ns == Jobs.NONE ? Jobs.NONE : Math.floorDiv(ns + 500, 1000L) * 1000L;
    }
  }
}
