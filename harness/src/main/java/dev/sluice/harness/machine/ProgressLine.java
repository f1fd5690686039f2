package dev.sluice.harness.machine;

import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.WindowSums.JobSum;
import dev.sluice.analytics.log.EventLogReader;
import dev.sluice.contract.experiment.Experiment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Live line of a run, drawn anew each second, or every five seconds without a terminal. */
public final class ProgressLine implements AutoCloseable {
  private static final int TERMINAL_PERIOD_SECONDS = 1;
  private static final int PLAIN_PERIOD_SECONDS = 5;
  private static final int PLAIN_WIDTH = 80;

  private static final String GAP = "  ";
  private static final int BAR_WIDTH_MIN = 6;
  private static final int BAR_WIDTH_MAX = 22;
  private static final int BARRED_WIDTH_MIN = 50;

  /** First words of the numbers that are left out where the line is too long, in this order. */
  private static final List<String> DISPENSABLE =
      List.of("running", "sent", "p99", "failed", "over SLO", "waiting");

  private final Console console;
  private final EventLogReader reader;
  private final Experiment experiment;
  private final Consumer<Throwable> onFailure;
  private final ScheduledExecutorService timer = MachineClock.timer("sluice-progress");

  public ProgressLine(
      Console console,
      EventLogReader reader,
      Experiment experiment,
      Consumer<Throwable> onFailure) {
    this.console = console;
    this.reader = reader;
    this.experiment = experiment;
    this.onFailure = onFailure;
    int period = console.isTerminal() ? TERMINAL_PERIOD_SECONDS : PLAIN_PERIOD_SECONDS;
    var unused = timer.scheduleAtFixedRate(this::draw, period, period, TimeUnit.SECONDS);
  }

  /** Draws the present state. A short run is over before the first period, so its end draws too. */
  public void draw() {
    try {
      boolean terminal = console.isTerminal();
      int widthMax = terminal ? Posix.terminalColumns() - 1 : PLAIN_WIDTH;
      console.live(text(reader.snapshot(), experiment, widthMax, terminal));
    } catch (RuntimeException e) {
      timer.shutdown();
      onFailure.accept(e);
    }
  }

  /**
   * The line of a snapshot, with a bar if wanted and wide enough. Less important numbers give way.
   */
  public static String text(LiveSnapshot now, Experiment experiment, int widthMax, boolean barred) {
    double elapsedSeconds = now.throughNs() / 1e9;
    double loadSeconds = experiment.load().durationSeconds();
    Map<String, Long> violations = now.violations();
    String overSlo = "over SLO " + violations.values().stream().mapToLong(Long::longValue).sum();
    String overSloByClass =
        violations.isEmpty()
            ? overSlo
            : violations.entrySet().stream()
                .map(e -> e.getKey() + " " + e.getValue())
                .collect(Collectors.joining(", ", "over SLO ", ""));
    JobSum total = now.total();
    Double p99 = total.percentileMs(99);
    List<String> parts =
        new ArrayList<>(
            List.of(
                time(elapsedSeconds, loadSeconds),
                "sent " + total.requested(),
                "waiting " + total.waiting(),
                "running " + now.running(),
                "done " + total.done(),
                "dropped " + total.dropped(),
                total.failed() == 0 ? "" : "failed " + total.failed(),
                overSloByClass,
                "p99 "
                    + (p99 == null || p99.isInfinite()
                        ? "none"
                        : String.format(Locale.ROOT, "%.0f ms", p99))));
    parts.remove("");
    boolean barFits = barred && widthMax >= BARRED_WIDTH_MIN;
    int textMax = barFits ? widthMax - BAR_WIDTH_MIN - GAP.length() : widthMax;
    if (width(parts) > textMax) {
      parts.set(parts.indexOf(overSloByClass), overSlo);
    }
    for (int i = 0; i < DISPENSABLE.size() && width(parts) > textMax; i++) {
      String word = DISPENSABLE.get(i);
      parts.removeIf(part -> part.startsWith(word));
    }
    String line = String.join(GAP, parts);
    int barWidth = Math.min(BAR_WIDTH_MAX, widthMax - line.length() - GAP.length());
    if (barFits && barWidth >= BAR_WIDTH_MIN) {
      return bar(Math.min(1, elapsedSeconds / loadSeconds), barWidth) + GAP + line;
    }
    return line.substring(0, Math.min(line.length(), widthMax));
  }

  private static int width(List<String> parts) {
    return String.join(GAP, parts).length();
  }

  private static String time(double elapsedSeconds, double loadSeconds) {
    return elapsedSeconds <= loadSeconds
        ? String.format(Locale.ROOT, "%.0f s of %.0f", elapsedSeconds, loadSeconds)
        : String.format(Locale.ROOT, "tail %.0f s", elapsedSeconds - loadSeconds);
  }

  private static String bar(double share, int width) {
    int inner = width - 2;
    int done = (int) Math.round(share * inner);
    return "[" + "=".repeat(done) + " ".repeat(inner - done) + "]";
  }

  @Override
  public void close() {
    timer.shutdownNow();
    console.endLiveLine();
  }
}
