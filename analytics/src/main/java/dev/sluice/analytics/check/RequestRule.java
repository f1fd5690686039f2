package dev.sluice.analytics.check;

import dev.sluice.analytics.check.DrawnList.Drawn;
import dev.sluice.analytics.check.DrawnList.Gaps;
import dev.sluice.analytics.check.DrawnList.LoadTime;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Holds the trace to the request list that its seed draws: each job of it has its class, model,
 * size, promise and intended time; no job is foreign; and none is missing that had to be sent,
 * because it was meant for the time before the last measured job had ended, but those of which the
 * run says that no generator sent them.
 */
final class RequestRule extends RunRules {
  /** Times of the table have whole microseconds; those of a bent load are inverted numerically. */
  private static final long GRAIN_NS = 2 * HALF_GRAIN_NS;

  /** Time before the end of the arrivals in which a generator that ends may have left a job out. */
  private static final long END_GRAIN_NS = 1_000_000_000;

  RequestRule(RunFolder folder) {
    super(folder);
  }

  @Override
  void check() {
    String reason = unknown();
    if (!reason.isEmpty()) {
      findings.leaveOut(Rule.REQUESTS, reason);
      findings.leaveOut(Rule.DIGEST, reason);
      return;
    }
    DrawnList list = DrawnList.of(config);
    boolean[] sent = new boolean[list.jobs().size()];
    for (Job job : folder.jobs()) {
      looked(Rule.REQUESTS);
      int index = job.index;
      if (index < 0 || index >= sent.length || !job.id.equals("job-" + index)) {
        fault(
            Rule.REQUESTS,
            job,
            "job (%s) is foreign: the seed draws (%d) jobs".formatted(job.id, sent.length));
      } else {
        sent[index] = true;
        compare(job, list.jobs().get(index));
      }
    }
    checkNoneMissing(list.jobs(), sent);
    checkDigest(list.digest());
  }

  /** Returns why the list cannot be drawn; empty if it can be. */
  private String unknown() {
    if (config.isReplayed()) {
      return "the requests came from a file";
    }
    if (!new LoadTime(config).isKnown()) {
      return "the rates came from a file";
    }
    if (!new Gaps(config).isKnown()) {
      return "the process of the arrivals is not known here";
    }
    boolean complete =
        !config.sections("workloads").isEmpty()
            && !config.texts("batch_sizes").isEmpty()
            && !config.texts("backends_enabled").isEmpty()
            && !config.texts("precision_modes").isEmpty()
            && config.at("seed") instanceof Number
            && config.number("arrival_rate_jobs_per_sec") > 0;
    return complete ? "" : "config.yaml is not resolved";
  }

  private void compare(Job job, Drawn drawn) {
    boolean same =
        job.classType.equals(drawn.classType())
            && job.workload.equals(drawn.workload())
            && (drawn.backend().isEmpty() || job.backend.equals(drawn.backend()))
            && job.precision.equals(drawn.precision())
            && job.samples == drawn.samples()
            && (drawn.sloNs() < 0 || job.sloNs == drawn.sloNs());
    if (!same) {
      fault(
          Rule.REQUESTS,
          job,
          "job (%s) is (%s, %s, %s, %s, %d samples), and the seed draws (%s, %s, %s, %s, %d)"
              .formatted(
                  job.id,
                  job.classType,
                  job.workload,
                  job.backend,
                  job.precision,
                  job.samples,
                  drawn.classType(),
                  drawn.workload(),
                  drawn.backend(),
                  drawn.precision(),
                  drawn.samples()));
    }
    boolean oneAtATime = config.scenario().equals("single_stream");
    if (!oneAtATime && Math.abs(job.enqueueNs - drawn.intendedNs()) > GRAIN_NS) {
      fault(
          Rule.REQUESTS,
          job,
          "job (%s) has enqueue_time (%s), and the seed draws (%s)"
              .formatted(job.id, seconds(job.enqueueNs), seconds(drawn.intendedNs())));
    }
  }

  private void checkNoneMissing(List<Drawn> list, boolean[] sent) {
    long unsent = IntStream.range(0, sent.length).filter(i -> !sent[i]).count();
    if (folder.neverSent() > unsent) {
      findings.fault(
          Rule.REQUESTS,
          "summary.json jobs_never_sent",
          "it says (%d), and of the list (%d) are missing".formatted(folder.neverSent(), unsent));
    }
    if (folder.wasInterrupted() || config.scenario().equals("single_stream")) {
      return; // a person, or the answers, ended the arrivals
    }
    long lastNs =
        folder.jobs().stream()
            .filter(Job::isMeasured)
            .mapToLong(job -> Math.max(0, job.observedNs))
            .max()
            .orElse(0);
    long neededNs = Math.max(config.durationNs(), lastNs - END_GRAIN_NS);
    int[] missing =
        IntStream.range(0, sent.length)
            .filter(i -> !sent[i] && list.get(i).intendedNs() < neededNs)
            .toArray();
    if (!folder.explains(missing.length)) {
      for (int i : missing) {
        findings.fault(
            Rule.REQUESTS,
            RunFolder.TRACE,
            "job (job-%d) is missing: the seed draws it for (%s)"
                .formatted(i, seconds(list.get(i).intendedNs())));
      }
    }
  }

  private void checkDigest(String digest) {
    if (digest.isEmpty()) {
      findings.leaveOut(Rule.DIGEST, "a promise or a time of the list is known only to rounding");
      return;
    }
    looked(Rule.DIGEST);
    String stated = folder.summary().path("request_digest").asText();
    if (!stated.equals(digest)) {
      findings.fault(
          Rule.DIGEST,
          "summary.json request_digest",
          "it says (%s), and the seed draws (%s)".formatted(stated, digest));
    }
  }
}
