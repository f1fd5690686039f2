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

/** Serves the page of runs until a signal. */
public final class ServeRun {
  /** Kafka's clients warn of each attempt to reach a broker that is away; the page says it once. */
  private static final String CLIENTS = "org.apache.kafka.clients";

  private final Options options;
  private final Console console;
  private final CountDownLatch stopping = new CountDownLatch(1);

  /**
   * What is served.
   *
   * @param results folder of all runs
   * @param named true if the user named that folder
   * @param online run served instead of the folder; null: the folder
   * @param child true if another process of Sluice started this one, and ends it
   */
  public record Options(
      Path results,
      boolean named,
      @Nullable Online online,
      @Nullable Path kafkaConfig,
      PageAddress address,
      MetricsAddress metrics,
      boolean child) {}

  /** A run that is known by its topics alone. */
  public record Online(String bootstrap, String runId) {}

  public ServeRun(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  public int execute() throws UserMistakeException, InterruptedException {
    try (var hushed = LogFile.hushed(CLIENTS);
        var log = LogFile.toStandardError(secrets());
        var signals = Signals.listen(options.child(), stopping::countDown, () -> {});
        var metrics = RoleMetrics.serve(options.metrics(), "serve", servedName());
        var server = PageServer.start(options.address(), runs())) {
      server.addTo(metrics);
      server.say(console);
      metrics.say(console);
      stopping.await();
      return signals.exitStatus();
    }
  }

  private String servedName() {
    Online online = options.online();
    return online == null ? "" : online.runId();
  }

  private Secrets secrets() throws UserMistakeException {
    return KafkaAccess.of("--kafka-config", "", options.kafkaConfig()).secrets();
  }

  private Runs runs() throws UserMistakeException, InterruptedException {
    Online online = options.online();
    if (online != null) {
      KafkaAccess kafka =
          KafkaAccess.reached(
              online.bootstrap(), options.kafkaConfig(), () -> stopping.getCount() == 0);
      var run = new LiveRun(online.runId());
      run.read(kafka, () -> null);
      return run;
    }
    checkResults();
    var runs = new ResultsRuns(options.results(), options.kafkaConfig());
    runs.readAhead();
    return runs;
  }

  private void checkResults() throws UserMistakeException {
    try (Stream<Path> listed = Files.list(options.results())) {
      var unused = listed.findAny();
    } catch (NoSuchFileException e) {
      if (options.named()) {
        throw new UserMistakeException(
            "RESULTS",
            "there is no such folder (" + options.results() + ")",
            "you meant results, or another folder that runs left their folders in");
      }
    } catch (IOException e) {
      throw ResultsFolder.unreadable("RESULTS", options.results(), e);
    }
  }
}
