package dev.sluice.executor.dispatch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A log in memory. */
final class FakeLog implements ExecutorLog {
  static final Topics TOPICS = new Topics("run-1");
  private static final String WAKE_UP = "";

  final List<String> putAside = new CopyOnWriteArrayList<>();
  final List<Fact> all = new CopyOnWriteArrayList<>();
  volatile RuntimeException failure;
  volatile boolean closed;

  /** Action before the writing of each completion. */
  volatile Runnable beforeCompletion = () -> {};

  private final LinkedBlockingQueue<ConsumerRecord<byte[], byte[]>> incoming =
      new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<Fact> appended = new LinkedBlockingQueue<>();
  private Consumer<Throwable> onFailure = failure -> {};

  FakeLog opened(Consumer<Throwable> onFailure) {
    this.onFailure = onFailure;
    return this;
  }

  void put(Dispatch dispatch) {
    put(TOPICS.dispatches(), EventCodec.DISPATCHES.write(dispatch));
  }

  void put(RunRecord record) {
    put(TOPICS.runs(), EventCodec.RUNS.write(record));
  }

  void put(String topic, byte[] bytes) {
    incoming.add(new ConsumerRecord<>(topic, 0, 0, null, bytes));
  }

  void putText(String topic, String text) {
    put(topic, text.getBytes(UTF_8));
  }

  /** Returns the next completion, whatever reports come before it. */
  BatchCompleted nextCompletion() throws InterruptedException {
    while (true) {
      if (next() instanceof BatchCompleted completed) {
        return completed;
      }
    }
  }

  /** Returns the next report, whatever completions come before it. */
  ExecutorReported nextReport() throws InterruptedException {
    while (true) {
      if (next() instanceof ExecutorReported reported) {
        return reported;
      }
    }
  }

  private Fact next() throws InterruptedException {
    Fact fact = appended.poll(30, TimeUnit.SECONDS);
    assertThat(fact).as("a fact within half a minute").isNotNull();
    return fact;
  }

  @Override
  public List<ConsumerRecord<byte[], byte[]>> poll(Duration timeout) {
    try {
      var first = incoming.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
      var received = new ArrayList<ConsumerRecord<byte[], byte[]>>();
      if (first != null) {
        received.add(first);
        incoming.drainTo(received);
      }
      received.removeIf(r -> r.topic().equals(WAKE_UP));
      return received;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void wakeUp() {
    put(WAKE_UP, new byte[0]);
  }

  @Override
  public void append(Fact fact) {
    if (failure != null) {
      onFailure.accept(failure);
      return;
    }
    if (fact instanceof BatchCompleted) {
      beforeCompletion.run();
    }
    all.add(fact);
    appended.add(fact);
  }

  @Override
  public void putAside(ConsumerRecord<byte[], byte[]> received, String error) {
    putAside.add(received.topic() + ": " + new String(received.value(), UTF_8) + ": " + error);
  }

  @Override
  public long clockOffsetNsMax() {
    return 7;
  }

  @Override
  public void close() {
    closed = true;
  }
}
