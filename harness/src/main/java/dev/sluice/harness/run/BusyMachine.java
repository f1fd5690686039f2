package dev.sluice.harness.run;

import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.machine.ForeignLoad;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.terminal.Console;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A look at what other processes take of this machine, before a load begins. */
final class BusyMachine {
  private static final Duration WAIT_MAX = Duration.ofMinutes(1);

  private BusyMachine() {}

  /**
   * Says that the machine is busy with others, if it is. A run of a series waits, for a minute at
   * most, until it is not.
   *
   * @param others what others took since the warm-up began
   */
  static void look(ForeignLoad others, RunShell shell, boolean waits, Console console)
      throws InterruptedException, StoppedException {
    Double share = others.shareOfAll();
    if (share == null || !isBusy(share)) {
      return;
    }
    console.item(
        "machine",
        String.format(
            Locale.ROOT,
            "warning: busy, others took %.0f %% of its processors during the warm-up",
            100 * share));
    if (!waits) {
      return;
    }
    for (long second = 1; second <= WAIT_MAX.toSeconds(); second++) {
      others.share();
      TimeUnit.SECONDS.sleep(1); // the kernel counts in ticks, of which a second has a hundred
      shell.heedAWishToStop();
      if (!isBusy(others.share())) {
        console.item("", "quiet after " + second + " s");
        return;
      }
    }
    console.item("", "still busy after a minute: the load begins all the same");
  }

  private static boolean isBusy(@Nullable Double share) {
    return share != null && share > Environment.NOTED_SHARE;
  }
}
