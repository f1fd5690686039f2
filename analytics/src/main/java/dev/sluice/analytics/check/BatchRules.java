package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Row.NONE;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Holds batches to the jobs that they held, and jobs to the batches that ended them. */
final class BatchRules extends RunRules {
  private static final long GRAIN_NS = 4 * HALF_GRAIN_NS;

  /** Results of dispatches that count as no attempt of their jobs. */
  private static final Set<String> NO_ATTEMPT = Set.of("refused", "cancelled");

  private static final Set<String> RESULTS =
      Set.of("done", "failed", "refused", "cancelled", "lost", "open");
  static final String OLDER_INCARNATION = "older_incarnation";

  private final long clockGrainNs = folder.clockGrainNs();
  private final double attemptsMax = config.number("lanes", "max_attempts");
  private final boolean cancels = folder.decides("cancelling");
  private final Map<String, RunConfig> workloads = config.workloads();

  /** Batches that held a job, by the job's row. */
  private final List<List<Batch>> attempts =
      Stream.<List<Batch>>generate(() -> new ArrayList<>(1)).limit(folder.jobs().size()).toList();

  BatchRules(RunFolder folder) {
    super(folder);
  }

  @Override
  void check() {
    findings.looked(Rule.BATCH_ONCE, folder.batches().size());
    findings.looked(Rule.RESULT, folder.batches().size());
    long lastNs = Long.MIN_VALUE;
    for (Batch batch : folder.batches()) {
      if (batch.decidedNs < lastNs) {
        fault(Rule.FORMAT, batch, "the rows do not stand by decided_time");
      }
      lastNs = batch.decidedNs;
      checkCost(batch);
      if (folder.batchByKey().get(batch.key) != batch) {
        fault(Rule.BATCH_ONCE, batch, "dispatch (%s) stands there twice", batch.id);
        continue;
      }
      checkCells(batch);
      checkTimes(batch);
      List<Job> held = checkHeld(batch);
      checkResult(batch, held);
      held.forEach(job -> attempts.get(job.row).add(batch));
    }
    folder.batches().forEach(this::checkAttempt);
    folder.jobs().forEach(job -> checkJob(job, attempts.get(job.row)));
  }

  private void checkCost(Batch batch) {
    RunConfig workload = workloads.get(batch.workload);
    if (workload == null) {
      return;
    }
    long tokens = workload.tokensOf(batch.precision, batch.samples);
    boolean budget = config.flag("resources", "enabled");
    boolean outside =
        !budget
            || (config.flag("resources", "cpu_fallback")
                && tokens > config.number("resources", "total_tokens"));
    judge(
        Rule.COST,
        batch,
        batch.tokens == tokens || (batch.tokens == 0 && outside)
            ? ""
            : "tokens are (%d), and (%d) samples of (%s, %s) cost (%d)"
                .formatted(batch.tokens, batch.samples, batch.workload, batch.precision, tokens));
  }

  private void checkCells(Batch batch) {
    need(batch, RESULTS.contains(batch.result), "result");
    need(batch, !batch.lane.isEmpty(), "lane_id");
    need(batch, batch.samples > 0, "samples");
    need(batch, batch.tokens >= 0, "tokens");
    need(batch, batch.attempt >= 1, "attempt");
    need(batch, batch.decidedNs != NONE, "decided_time");
    need(batch, batch.predictedNs >= 0, "predicted_service_ms");
    need(batch, batch.shard >= 0, "shard");
    need(batch, (batch.startNs == NONE) == (batch.endNs == NONE), "end_time");
    need(batch, batch.ran() == (batch.serviceNs != NONE), "service_ms");
    need(batch, batch.ran() == (batch.switchNs != NONE), "switch_ms");
    need(batch, !batch.ran() || batch.isAnswered(), "completed_time");
    need(batch, batch.emulatedNs == NONE || batch.ran(), "emulated_service_ms");
    need(batch, batch.cause.isEmpty() || batch.isAnswered(), "cause");
  }

  private void checkTimes(Batch batch) {
    long decidedNs = batch.decidedNs;
    if (batch.ran()) {
      looked(Rule.TIME);
      if (Math.abs(batch.endNs - batch.startNs - batch.serviceNs) > GRAIN_NS) {
        fault(
            Rule.TIME,
            batch,
            "service_ms is (%s), and its times come to (%s)"
                .formatted(ms(batch.serviceNs), ms(batch.endNs - batch.startNs)));
      }
      findings.looked(Rule.ORDER, 2);
      after(batch, "start_time", batch.startNs, "decided_time", decidedNs, clockGrainNs);
      after(batch, "completed_time", batch.completedNs, "end_time", batch.endNs, clockGrainNs);
    }
    if (batch.isAnswered() && decidedNs != NONE) {
      looked(Rule.ORDER);
      long decidedMs = decidedNs - Math.floorMod(decidedNs, APPEND_GRAIN_NS);
      after(batch, "completed_time", batch.completedNs, "decided_time", decidedMs, 0);
    }
  }

  private List<Job> checkHeld(Batch batch) {
    long samples = 0;
    List<Job> held = new ArrayList<>(batch.jobIds.size());
    Set<String> ids = new HashSet<>();
    for (String id : batch.jobIds) {
      Job job = folder.jobById().get(id);
      if (!ids.add(id)) {
        fault(Rule.BATCH_ONCE, batch, "its job (%s) stands there twice", id);
      } else if (job == null) {
        fault(Rule.BATCH_ONCE, batch, "its job (%s) is in no trace", id);
      } else if (job.shard != batch.shard) {
        fault(
            Rule.BATCH_ONCE,
            batch,
            "its job (%s) is in shard (%d), and it is in (%d)"
                .formatted(id, job.shard, batch.shard));
      } else {
        held.add(job);
        samples += job.samples;
        checkHeld(batch, job);
      }
    }
    if (held.size() == batch.jobIds.size() && samples != batch.samples) {
      fault(
          Rule.BATCH_ONCE,
          batch,
          "samples are (%d), and its jobs come to (%d)".formatted(batch.samples, samples));
    }
    return held;
  }

  private void checkHeld(Batch batch, Job job) {
    boolean sameModel =
        job.workload.equals(batch.workload)
            && job.backend.equals(batch.backend)
            && job.precision.equals(batch.precision);
    if (!sameModel) {
      fault(
          Rule.COPY,
          batch,
          "it ran (%s, %s, %s), and its job (%s) asked for (%s, %s, %s)"
              .formatted(
                  batch.workload,
                  batch.backend,
                  batch.precision,
                  job.id,
                  job.workload,
                  job.backend,
                  job.precision));
    }
    if (job.appendedNs > batch.decidedNs) {
      fault(
          Rule.ORDER,
          batch,
          "it was decided at (%s), before its job (%s) was appended at (%s)"
              .formatted(seconds(batch.decidedNs), job.id, seconds(job.appendedNs)));
    }
  }

  /**
   * A batch that ended all its jobs was the attempt that they count, less those that were decided
   * after it and came too late.
   */
  private void checkAttempt(Batch batch) {
    looked(Rule.ATTEMPT);
    long attempt = 0;
    for (Job job : batch.jobs) {
      if (!job.names(batch)) {
        attempt = 0;
        break;
      }
      attempt = Math.max(attempt, job.attempt - attemptsAfter(job, batch));
    }
    if (attempt > 0 && attempt != batch.attempt) {
      fault(
          Rule.ATTEMPT,
          batch,
          "attempt is (%d), and its jobs come to (%d)".formatted(batch.attempt, attempt));
    }
    if (batch.attempt > attemptsMax) {
      fault(
          Rule.ATTEMPT,
          batch,
          "attempt is (%d), and max_attempts (%.0f)".formatted(batch.attempt, attemptsMax));
    }
  }

  private long attemptsAfter(Job job, Batch batch) {
    List<Batch> ofJob = attempts.get(job.row);
    return count(ofJob.subList(ofJob.indexOf(batch) + 1, ofJob.size()));
  }

  private static long count(List<Batch> attempts) {
    return attempts.stream().filter(batch -> !NO_ATTEMPT.contains(batch.result)).count();
  }

  private void checkResult(Batch batch, List<Job> held) {
    int done = 0;
    int ended = 0;
    int otherwise = 0;
    for (Job job : held) {
      if (job.names(batch)) {
        ended++;
        done += job.isDone() ? 1 : 0;
      } else if (job.observedNs != NONE) {
        otherwise++;
      }
    }
    String wrong =
        switch (batch.result) {
          case "done" -> done(batch, ended, done, otherwise);
          case "failed" -> failed(batch, ended, done, otherwise);
          case "refused" ->
              batch.ran() || !batch.isAnswered() || batch.cause.isEmpty()
                  ? "it was refused, and has a start, or no completion, or no cause"
                  : batch.cause.equals(OLDER_INCARNATION)
                      ? "an older incarnation refused it: it is lost"
                      : ended > 0 ? "it was refused, and a job names it" : "";
          case "cancelled" ->
              !batch.ran() || !batch.isAnswered() || ended > 0
                  ? "it was cancelled, and has no start, or no completion, or a job names it"
                  : "";
          case "lost" -> lost(batch, ended, done, otherwise);
          default ->
              batch.isAnswered() || ended + otherwise > 0
                  ? "it is open, and has a completion, or a job of it has ended"
                  : "";
        };
    if (!wrong.isEmpty()) {
      fault(Rule.RESULT, batch, "dispatch (%s): %s", batch.id, wrong);
    }
  }

  private static String done(Batch batch, int ended, int done, int otherwise) {
    if (!batch.ran() || !batch.cause.isEmpty()) {
      return "it is done, and never ran, or has a cause (%s)".formatted(batch.cause);
    }
    if (done < ended) {
      return "it is done, and a job that names it is not";
    }
    return ended == 0 && otherwise > 0 ? "it is done, and no job names it" : "";
  }

  private static String failed(Batch batch, int ended, int done, int otherwise) {
    if (!batch.ran() || batch.cause.isEmpty()) {
      return "it failed, and never ran, or has no cause";
    }
    if (done > 0) {
      return "it failed, and a job that names it is done";
    }
    return ended == 0 && otherwise > 0 ? "it failed, and no job names it" : "";
  }

  private static String lost(Batch batch, int ended, int done, int otherwise) {
    if (done > 0) {
      return "it was lost, and a job that names it is done";
    }
    if (!batch.isAnswered()) {
      return ended + otherwise == 0 ? "it was lost, and none of its jobs has ended" : "";
    }
    if (batch.ran()) {
      return ended > 0 || otherwise == 0
          ? "it was lost, though it was answered, and no job of it ended otherwise"
          : "";
    }
    return batch.cause.equals(OLDER_INCARNATION)
        ? ""
        : "it was lost by a refusal for the cause (%s)".formatted(batch.cause);
  }

  private void checkJob(Job job, List<Batch> ofJob) {
    looked(Rule.ATTEMPT);
    long counted = count(ofJob);
    if (job.attempt > counted || job.attempt > attemptsMax) {
      fault(
          Rule.ATTEMPT,
          job,
          "attempt is (%d), with (%d) dispatches and max_attempts (%.0f)"
              .formatted(job.attempt, counted, attemptsMax));
    } else if (!job.dispatchId.isEmpty() && job.attempt < 1) {
      fault(Rule.ATTEMPT, job, "attempt is (%d), and it names a dispatch", job.attempt);
    }
    checkRanOnce(job, ofJob.stream().filter(Batch::isDone).toList());
    if (job.dispatchId.isEmpty()) {
      return;
    }
    Batch own = folder.batchByKey().get(job.batchKey);
    if (own == null) {
      fault(Rule.BATCH_ONCE, job, "no dispatch (%s) is listed", job.batchKey);
    } else if (!own.jobIds.contains(job.id)) {
      fault(
          Rule.BATCH_ONCE,
          job,
          "job (%s) names dispatch (%s), which does not hold it".formatted(job.id, own.id));
    } else {
      checkCopy(job, own);
    }
  }

  /**
   * A job may be in two done batches only if the second was decided before the first was known. A
   * batch that ends while its cancellation is under way is known within the same millisecond.
   */
  private void checkRanOnce(Job job, List<Batch> done) {
    for (int i = 1; i < done.size(); i++) {
      Batch first = done.get(i - 1);
      Batch second = done.get(i);
      long knownNs = first.completedNs + (cancels ? APPEND_GRAIN_NS : 0);
      if (second.decidedNs >= knownNs && first.decidedNs < second.completedNs) {
        fault(
            Rule.RESULT,
            job,
            "job (%s) ran in (%s), which is done, and then again in (%s)"
                .formatted(job.id, first.id, second.id));
      }
    }
    if (!done.isEmpty() && job.isDone() && done.stream().noneMatch(job::names)) {
      fault(
          Rule.RESULT,
          job,
          "job (%s) names (%s), and ran in (%s), which is done"
              .formatted(job.id, job.dispatchId, done.get(0).id));
    }
  }

  private void checkCopy(Job job, Batch own) {
    looked(Rule.COPY);
    copied(job, own, "start_time", job.startNs, own.startNs);
    copied(job, own, "end_time", job.endNs, own.endNs);
    copied(job, own, "decided_time", job.decidedNs, own.decidedNs);
    copied(job, own, "predicted_service_ms", job.predictedNs, own.predictedNs);
    copied(job, own, "dispatch_samples", job.dispatchSamples, own.samples);
    if (job.isDone()) {
      copied(job, own, "service_ms", job.serviceNs, own.serviceNs);
    }
    if (!job.lane.equals(own.lane)) {
      fault(
          Rule.COPY,
          job,
          "lane_id is (%s), and that of its dispatch (%s) is (%s)"
              .formatted(job.lane, own.id, own.lane));
    }
    if (own.isAnswered() && job.observedNs < own.completedNs && job.isDone()) {
      fault(
          Rule.ORDER,
          job,
          "it was observed at (%s), before its batch was completed at (%s)"
              .formatted(seconds(job.observedNs), seconds(own.completedNs)));
    }
  }

  private void copied(Job job, Batch own, String column, long copy, long original) {
    if (copy != original) {
      fault(
          Rule.COPY,
          job,
          "%s is not that of its dispatch (%s): it differs by (%d)"
              .formatted(column, own.id, copy - original));
    }
  }
}
