package dev.sluice.harness.serve;

import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.window.RunSummarized;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One live run, read from its topics. */
final class OneRun implements Runs {
  private final LiveRun run;
  private final TopicReading reading;

  private OneRun(LiveRun run, TopicReading reading) {
    this.run = run;
    this.reading = reading;
  }

  /**
   * Begins to read the run's topics.
   *
   * @param hidden a text without the secrets of the clients
   */
  static OneRun of(String runId, LogClients kafka, UnaryOperator<String> hidden) {
    var run = new LiveRun(runId);
    return new OneRun(run, TopicReading.start(kafka, run, () -> null, hidden));
  }

  @Override
  public byte[] list() {
    return RunList.json(List.of(run.listed()));
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
    reading.close();
  }
}
