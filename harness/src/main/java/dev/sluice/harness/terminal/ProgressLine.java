package dev.sluice.harness.terminal;

import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.log.EventLogReader;
import dev.sluice.contract.experiment.Experiment;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Live line of a run, drawn anew each second, or every five seconds without a terminal. */
public final class ProgressLine implements AutoCloseable {
  private static final int TERMINAL_PERIOD_SECONDS = 1;
  private static final int PLAIN_PERIOD_SECONDS = 5;

  private final Console console;
  private final EventLogReader reader;
  private final Experiment experiment;
  private final Consumer<Throwable> onFailure;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            var thread = new Thread(task, "sluice-progress");
            thread.setDaemon(true);
            return thread;
          });

  private ProgressLine(
      Console console,
      EventLogReader reader,
      Experiment experiment,
      Consumer<Throwable> onFailure) {
    this.console = console;
    this.reader = reader;
    this.experiment = experiment;
    this.onFailure = onFailure;
  }

  /**
   * Begins to draw.
   *
   * @param onFailure called when the log can no longer be read
   */
  public static ProgressLine start(
      Console console,
      EventLogReader reader,
      Experiment experiment,
      Consumer<Throwable> onFailure) {
    var line = new ProgressLine(console, reader, experiment, onFailure);
    int period = console.isTerminal() ? TERMINAL_PERIOD_SECONDS : PLAIN_PERIOD_SECONDS;
    var unused = line.timer.scheduleAtFixedRate(line::draw, period, period, TimeUnit.SECONDS);
    return line;
  }

  /**
   * Draws the present state. Called at the run's end too, since a short run is over before the
   * first period.
   */
  public void draw() {
    try {
      console.live(text(reader.snapshot(), experiment));
    } catch (RuntimeException e) {
      timer.shutdown();
      onFailure.accept(e);
    }
  }

  public static String text(LiveSnapshot now, Experiment experiment) {
    double elapsed = now.throughNs() / 1e9;
    String violations =
        now.violations().entrySet().stream()
            .map(e -> e.getKey() + " " + e.getValue())
            .collect(Collectors.joining(", "));
    Double p99 = now.endToEndMsP99();
    return String.format(
        Locale.ROOT,
        "%5.0f s of %.0f  sent %d  waiting %d  running %d  done %d%s%s  late %s  p99 %s",
        elapsed,
        experiment.load().durationSeconds(),
        now.sent(),
        now.waiting(),
        now.running(),
        now.done(),
        now.dropped() == 0 ? "" : "  dropped " + now.dropped(),
        now.failed() == 0 ? "" : "  failed " + now.failed(),
        violations.isEmpty() ? "0" : violations,
        p99 == null || p99.isInfinite() ? "none" : String.format(Locale.ROOT, "%.0f ms", p99));
  }

  @Override
  public void close() {
    timer.shutdownNow();
    console.endLiveLine();
  }
}
