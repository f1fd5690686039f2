package dev.sluice.cli;

import dev.sluice.contract.ProcessClock;
import dev.sluice.contract.Topics;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.scheduler.SchedulerStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** One scheduler as a process of its own, until it is killed or its input ends. */
final class SchedulerChild {
  private SchedulerChild() {}

  public static void main(String[] args) throws Exception {
    var experiment =
        ExperimentFile.read(Path.of(args[3]), List.of(), Registries.vocabulary()).experiment();
    try (var scheduler =
        new SchedulerStream(
            experiment,
            new Topics(args[1]),
            Map.of("bootstrap.servers", args[0]),
            args[2],
            Path.of(args[4]),
            new ProcessClock(InstantSource.system(), System::nanoTime),
            failure -> {
              System.err.println(args[2] + " failed: " + failure);
              Runtime.getRuntime().halt(1);
            })) {
      scheduler.start();
      while (System.in.read() >= 0) {
        System.out.println(scheduler.counts());
      }
    }
  }
}
