package dev.sluice.scheduling.gates;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/**
 * Clients that send their next request the moment that the last one was answered, before one lane.
 */
final class ClosedLoop implements CoreListener {
  private static final double NS_PER_MS = 1e6;

  private final SchedulingCore core;
  private final int samplesEach;
  private final IntToDoubleFunction serviceMs;
  private final Map<String, Long> sentNs = new HashMap<>();

  /** Latencies of all requests, in the order of their ends. */
  final List<Double> latenciesMs = new ArrayList<>();

  private BatchDispatched running;
  private long nowNs;
  private long facts;
  private int requests;

  ClosedLoop(
      String policy,
      Map<String, Double> parameters,
      int samplesMax,
      int samplesEach,
      IntToDoubleFunction serviceMs) {
    this.samplesEach = samplesEach;
    this.serviceMs = serviceMs;
    core =
        new SchedulingCore(
            CoreSettings.of(7, List.of(new JobClass("class", 1, true, true)), Map.of("model", 1))
                .with(new Microbatch(true, 0, samplesMax)),
            Policies.create(policy, parameters));
    core.apply(
        facts++,
        0,
        ExecutorReported.of(
            "lane",
            1,
            false,
            "made-up",
            null,
            List.of(new Lane(0, List.of())),
            List.of(new Capability("model", "onnx", "fp32", 1, List.of()))),
        this);
    core.apply(facts++, 0, new RunStarted("gate", 0, 7, "", "", 1, 1, Long.MAX_VALUE / 2), this);
  }

  /** Lets the clients send a number of requests in all; returns samples per second. */
  double run(int clients, int requestsMax) {
    for (int i = 0; i < clients; i++) {
      send();
    }
    while (requests < requestsMax) {
      BatchDispatched batch = running;
      running = null;
      long startedNs = nowNs;
      long serviceNs = Math.round(serviceMs.applyAsDouble(batch.samples()) * NS_PER_MS);
      nowNs += serviceNs;
      core.apply(
          facts++,
          appendedNs(),
          BatchCompleted.done(batch.dispatchId(), "lane", 1, 0, startedNs, serviceNs, 1),
          this);
      batch
          .jobs()
          .forEach(
              job -> {
                latenciesMs.add((nowNs - sentNs.remove(job.jobId())) / NS_PER_MS);
                send();
              });
    }
    return latenciesMs.size() * samplesEach / (nowNs / 1e9);
  }

  private long appendedNs() {
    return nowNs - nowNs % 1_000_000;
  }

  private void send() {
    int index = requests++;
    sentNs.put("job-" + index, nowNs);
    core.apply(
        facts++, appendedNs(), Cell.job(index, "model", samplesEach, 1e6, nowNs / NS_PER_MS), this);
  }

  @Override
  public void started(BatchDispatched dispatch) {
    running = dispatch;
  }

  @Override
  public void ended(JobEnded end) {}

  @Override
  public void blocked(Blocked span) {}
}
