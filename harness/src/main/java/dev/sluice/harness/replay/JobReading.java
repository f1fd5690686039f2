package dev.sluice.harness.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.harness.frame.Registries;
import dev.sluice.scheduler.explain.Explainer;
import dev.sluice.scheduler.replay.ReplaySettings;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.policies.Policies;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One reading of a log for one job: no more is decoded than the explanation needs. */
final class JobReading {
  private final Path log;
  private final String jobId;
  private final byte[] needle;

  /** Offset of the next fact of each shard. */
  private final Map<Integer, Long> nextOffsets = new HashMap<>();

  /**
   * What was read.
   *
   * @param loss what a log that was cut short lacks, in words; null: it is whole
   */
  record Read(RecordingHeader header, Explainer explainer, @Nullable String loss) {}

  JobReading(Path log, String jobId) {
    this.log = log;
    this.jobId = jobId;
    this.needle = jobId.getBytes(UTF_8);
  }

  /**
   * Reads the whole log, so that its sum is proved, and explains the job.
   *
   * @param salvage whether a log that was cut short is taken as far as it goes
   */
  Read read(boolean salvage) throws UserMistakeException, InterruptedException {
    try (var reading = LogReading.open(log, salvage)) {
      Explainer explainer = new Explainer(jobId, cores(reading.header()));
      String loss =
          reading.read(
              entry -> {
                if (!explainer.isOver()) {
                  take(entry, explainer);
                }
                return true;
              });
      return new Read(reading.header(), explainer, loss);
    }
  }

  private void take(RecordedEntry entry, Explainer explainer) throws UserMistakeException {
    if (entry.topic().equals("facts")) {
      refuseGap(entry);
    }
    Integer shard = explainer.shard();
    if (shard != null && shard != entry.partition()) {
      return;
    }
    try {
      switch (entry.topic()) {
        case "facts" ->
            explainer.onFact(
                entry.partition(),
                entry.offset(),
                entry.appendedAtEpochMs(),
                EventCodec.FACTS.read(entry.value()));
        case "dispatches" -> {
          if (shard != null && namesTheJob(entry.value())) {
            explainer.onDispatch(entry.partition(), EventCodec.DISPATCHES.read(entry.value()));
          }
        }
        case "outcomes" -> {
          if (shard != null
              && namesTheJob(entry.value())
              && EventCodec.OUTCOMES.read(entry.value()) instanceof JobEnded ended) {
            explainer.onEnded(entry.partition(), entry.appendedAtEpochMs(), ended);
          }
        }
        default -> {} // no part of a job's life
      }
    } catch (UnreadableEventException e) {
      // the scheduler learnt nothing from it either
    }
  }

  /** Refuses a log that lacks facts: decisions rest on all of them. */
  private void refuseGap(RecordedEntry entry) throws UserMistakeException {
    long due = nextOffsets.getOrDefault(entry.partition(), 0L);
    if (entry.offset() != due) {
      throw new UserMistakeException(
          log.toString(),
          "facts (%d to %d) of shard %d are missing"
              .formatted(due, entry.offset() - 1, entry.partition()),
          due == 0
              ? "retention took them; a job is explained from its shard's first fact on"
              : "the recording was made from a topic that had lost them");
    }
    nextOffsets.put(entry.partition(), due + 1);
  }

  private boolean namesTheJob(byte[] value) {
    for (int i = 0; i <= value.length - needle.length; i++) {
      int matched = 0;
      while (matched < needle.length && value[i + matched] == needle[matched]) {
        matched++;
      }
      if (matched == needle.length) {
        return true;
      }
    }
    return false;
  }

  private Supplier<SchedulingCore> cores(RecordingHeader header) throws UserMistakeException {
    ReplaySettings settings = ReplaySettings.of(log, header, Registries.vocabulary());
    return () ->
        new SchedulingCore(
            settings.core(), Policies.create(settings.schedulerName(), settings.weights()));
  }
}
