package dev.sluice.harness.serve;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page of runs until a signal.
 *
 * @param results folder of all runs
 * @param named true if the user named that folder
 * @param online run served instead of the folder; null: the folder
 * @param child true if another process of Sluice started this one, and ends it
 */
public record ServeRun(
    Path results,
    boolean named,
    @Nullable Online online,
    @Nullable Path kafkaConfig,
    PageAddress address,
    MetricsAddress metrics,
    boolean child,
    Console console) {
  /** Kafka's clients warn of each attempt to reach a broker that is away; the page says it once. */
  private static final String CLIENTS = "org.apache.kafka.clients";

  /** A run that is known by its topics alone. */
  public record Online(String bootstrap, String runId) {}

  public int execute() throws UserMistakeException, InterruptedException {
    var stopping = new CountDownLatch(1);
    Secrets secrets = KafkaAccess.of("--kafka-config", "", kafkaConfig).secrets();
    try (var hushed = LogFile.hushed(CLIENTS);
        var log = LogFile.toStandardError(secrets);
        var signals = Signals.listen(child, stopping::countDown, () -> {});
        var meters = new RoleMetrics(metrics, "serve", online == null ? "" : online.runId());
        var server = PageServer.start(address, runs(stopping))) {
      server.addTo(meters);
      server.say(console);
      meters.say(console);
      stopping.await();
      return signals.exitStatus();
    }
  }

  private Runs runs(CountDownLatch stopping) throws UserMistakeException, InterruptedException {
    if (online != null) {
      KafkaAccess kafka =
          KafkaAccess.reached(online.bootstrap(), kafkaConfig, () -> stopping.getCount() == 0);
      var run = new LiveRun(online.runId());
      run.read(kafka, () -> null);
      return run;
    }
    checkResults();
    var runs = new ResultsRuns(results, kafkaConfig);
    runs.readAhead();
    return runs;
  }

  private void checkResults() throws UserMistakeException {
    try (Stream<Path> listed = Files.list(results)) {
      var unused = listed.findAny();
    } catch (NoSuchFileException e) {
      if (named) {
        throw new UserMistakeException(
            "RESULTS",
            "there is no such folder (" + results + ")",
            "you meant results, or another folder that runs left their folders in");
      }
    } catch (IOException e) {
      throw ResultsFolder.unreadable("RESULTS", results, e);
    }
  }
}
