package dev.sluice.harness.workflow;

import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.RunClock;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.log.Writing;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.run.RunShell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The load of a run of workflows, in its one shard: each request is sent at its time, and the run
 * ends once all sent requests have ended, which its log tells.
 */
final class WorkflowLoad implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkflowLoad.class);
  private static final long LOOK_NS = 100_000_000;
  private static final Duration LANES_LIMIT = Duration.ofSeconds(60);
  private static final Duration STANDSTILL_MAX = Duration.ofMinutes(5);

  private final List<WorkflowRequested> arrivals;
  private final Topics topics;
  private final ProcessClock clock;
  private final RunShell shell;
  private final Console console;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaProducer<byte[], byte[]> producer;
  private final WorkflowOutcomes outcomes;

  /** Lateness of the requests that were sent, by their place among the arrivals. */
  private final long[] latenessNs;

  private int sent;
  private boolean arrivalsEnded;
  private long drawnAtNs;

  /** Reads the run's log from its beginning, the scheduler's records once they are committed. */
  WorkflowLoad(
      List<WorkflowRequested> requests,
      Topics topics,
      LogClients kafka,
      ProcessClock clock,
      RunShell shell,
      Console console) {
    this.arrivals =
        requests.stream().sorted(Comparator.comparingLong(WorkflowRequested::index)).toList();
    this.topics = topics;
    this.clock = clock;
    this.shell = shell;
    this.console = console;
    outcomes = new WorkflowOutcomes(requests);
    latenessNs = new long[arrivals.size()];
    consumer = kafka.consumer(Reading.COMMITTED);
    List<TopicPartition> partitions =
        List.of(
            new TopicPartition(topics.facts(), 0),
            new TopicPartition(topics.dispatches(), 0),
            new TopicPartition(topics.outcomes(), 0));
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    producer = kafka.producer(Writing.IN_ORDER);
  }

  void awaitLanes() throws RoleFailedException {
    long deadlineNs = clock.monotonicNs() + LANES_LIMIT.toNanos();
    while (poll(LOOK_NS).stream().noneMatch(ExecutorReported.class::isInstance)) {
      shell.failIfFailed();
      if (clock.monotonicNs() >= deadlineNs) {
        throw new RoleFailedException("the lanes did not join", null);
      }
    }
  }

  /**
   * Begins the run, sends each request at its time, and ends the run once all sent requests have
   * ended.
   *
   * @return the outcomes of the requests
   */
  WorkflowOutcomes run(RunStarted started, Consumer<String> said)
      throws RoleFailedException, InterruptedException {
    await(append(topics.runs(), EventCodec.RUNS.write(started)));
    await(append(topics.facts(), EventCodec.FACTS.write(started)));
    RunClock runClock = clock.forRun(started.timeZeroEpochMs());
    long movedAtNs = clock.monotonicNs();
    drawnAtNs = movedAtNs;
    while (outcomes.ended() < sent || isSending() || !outcomes.isWhole()) {
      shell.failIfFailed();
      long waitNs = sendDue(runClock);
      boolean standsStill =
          sent == arrivals.size() && clock.monotonicNs() - movedAtNs > STANDSTILL_MAX.toNanos();
      if (standsStill && !arrivalsEnded) {
        said.accept(
            "Warning: nothing has happened for %d minutes: lanes hang, what waits is given up"
                .formatted(STANDSTILL_MAX.toMinutes()));
      }
      if (shell.stopRequested() || standsStill) {
        endArrivals(); // waiting jobs are dropped, running jobs are finished
      }
      for (Event event : poll(waitNs)) {
        if (!(event instanceof ExecutorReported || event instanceof Ticked)) {
          movedAtNs = clock.monotonicNs();
        }
        outcomes.take(event);
      }
      showProgress();
    }
    endArrivals();
    var ended =
        new RunEnded(
            started.runId(), sent, false, shell.stopRequested(), runClock.nowNs(), null, 0L);
    await(append(topics.runs(), EventCodec.RUNS.write(ended)));
    said.accept(
        String.format(
            Locale.ROOT,
            "Requests were sent at most %.1f ms late",
            Arrays.stream(latenessNs).max().orElse(0) / 1e6));
    return outcomes;
  }

  private boolean isSending() {
    return sent < arrivals.size() && !shell.stopRequested();
  }

  /** Sends the requests that are due, and returns how long to wait at most for the next one. */
  private long sendDue(RunClock runClock) {
    while (isSending()) {
      WorkflowRequested due = arrivals.get(sent);
      long nowNs = runClock.nowNs();
      if (due.intendedAtNs() > nowNs) {
        return Math.min(LOOK_NS, due.intendedAtNs() - nowNs);
      }
      latenessNs[sent++] = nowNs - due.intendedAtNs();
      var unused = append(topics.facts(), EventCodec.FACTS.write(due.sentAt(nowNs)));
    }
    return LOOK_NS;
  }

  private void endArrivals() throws RoleFailedException, InterruptedException {
    if (arrivalsEnded) {
      return;
    }
    arrivalsEnded = true;
    long[] sorted = Arrays.stream(latenessNs, 0, sent).sorted().toArray();
    long maxNs = sent == 0 ? 0 : sorted[sent - 1];
    long p99Ns = sent == 0 ? 0 : (long) NearestRank.percentile(sorted, 99);
    await(
        append(
            topics.facts(), EventCodec.FACTS.write(new ArrivalsEnded(0, sent, p99Ns, maxNs, 0))));
  }

  /** Begins to append a record after all earlier ones; the run fails if it cannot be written. */
  private Future<RecordMetadata> append(String topic, byte[] event) {
    return producer.send(
        new ProducerRecord<>(topic, 0, null, event),
        (written, failure) -> {
          if (failure != null) {
            shell.fail(failure);
          }
        });
  }

  private static void await(Future<RecordMetadata> written)
      throws RoleFailedException, InterruptedException {
    try {
      written.get();
    } catch (ExecutionException e) {
      throw new RoleFailedException("the log takes nothing more: " + e.getMessage(), e);
    }
  }

  /** Returns new events of the log; waits for the first of them up to the timeout. */
  private List<Event> poll(long timeoutNs) {
    List<Event> events = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofNanos(timeoutNs))) {
      try {
        byte[] bytes = record.value() == null ? new byte[0] : record.value();
        events.add(topics.codec(record.topic()).read(bytes));
      } catch (UnreadableEventException e) {
        LOG.warn("{} at {} is no event", record.topic(), record.offset(), e);
      }
    }
    return events;
  }

  private void showProgress() {
    long nowNs = clock.monotonicNs();
    if (nowNs - drawnAtNs >= (console.isTerminal() ? 1 : 5) * 1_000_000_000L) {
      drawnAtNs = nowNs;
      int nodes = arrivals.stream().mapToInt(request -> request.nodes().size()).sum();
      console.live(
          "%d of %d requests ended, %d of %d nodes done"
              .formatted(outcomes.ended(), arrivals.size(), outcomes.nodesDone(), nodes));
    }
  }

  @Override
  public void close() {
    producer.close();
    consumer.close();
  }
}
