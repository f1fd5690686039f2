package dev.sluice.harness.serve;

import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.log.LogClients;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One live run, read from its topics. Any thread. */
final class OneRun implements Runs {
  private final LiveRun run;
  private final Supplier<@Nullable RunSummarized> elsewhere;
  private volatile @Nullable TopicReading reading;

  /** A run of which its topics alone tell. */
  OneRun(String runId) {
    this(runId, () -> null);
  }

  /**
   * @param elsewhere how the run came out, as {@link TopicReading#start} asks for it
   */
  OneRun(String runId, Supplier<@Nullable RunSummarized> elsewhere) {
    run = new LiveRun(runId);
    this.elsewhere = elsewhere;
  }

  LiveRun run() {
    return run;
  }

  /**
   * Begins to read the run's topics.
   *
   * @param hidden a text without the secrets of the clients
   */
  TopicReading read(LogClients kafka, UnaryOperator<String> hidden) {
    TopicReading begun = TopicReading.start(kafka, run, elsewhere, hidden);
    reading = begun;
    return begun;
  }

  @Override
  public byte[] list() {
    return ListedRun.json(List.of(run.listed()));
  }

  @Override
  public @Nullable ShownRun find(String id) {
    return id.equals(run.id()) ? run : null;
  }

  /** The run is over, as its process knows before its topics do. */
  void ended(RunSummarized how) {
    run.ended(how);
  }

  @Override
  public void close() {
    TopicReading begun = reading;
    if (begun != null) {
      begun.close();
    }
  }
}
