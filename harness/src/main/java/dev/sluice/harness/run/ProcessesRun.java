package dev.sluice.harness.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.Topics;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.kafka.BrokerWatch;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.ChildProcess.Signal;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.Supervisor;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.harness.serve.LivePage;
import dev.sluice.harness.serve.MetricsAddress;
import dev.sluice.producer.requests.RequestList;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One experiment with each role as a child process. A role that dies is started again, a few times.
 * Output and folder are those of {@link ExperimentRun}.
 */
public final class ProcessesRun extends WholeRun {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessesRun.class);

  /** Limit of the wait, after one role's failure, for the others, which end by themselves. */
  private static final Duration FOLLOWING_LIMIT = Duration.ofSeconds(20);

  private static final int RESTARTS_MAX = 3;

  private final Companion companion;
  private final CompletableFuture<Ended> end = new CompletableFuture<>();
  private volatile @Nullable Supervisor supervisor;
  private volatile boolean stopRequested;

  /** The child whose end ends the run, and its exit status. */
  private record Ended(ChildProcess child, int status) {}

  /** A companion of the run, such as one that inflicts faults. */
  public interface Companion {
    default int restartsMax() {
      return RESTARTS_MAX;
    }

    default List<String> executorOptions() {
      return List.of();
    }

    /** True if the console shows the output of analytics and each death. */
    default boolean isShown() {
      return true;
    }

    /** Called when all roles were started once. */
    default void began(Supervisor children, KafkaAccess kafka) {}

    /** True if the companion handles an end, so that the run goes on. */
    default boolean takesCareOf(ChildProcess child, int status) {
      return false;
    }

    /** Called when the run is over, while its topics are there; its folder may not exist. */
    default void over(KafkaAccess kafka, Topics topics, Path folder)
        throws IOException, InterruptedException {}
  }

  public ProcessesRun(RunSettings options, Console console) {
    this(options, console, new Companion() {});
  }

  public ProcessesRun(RunSettings options, Console console, Companion companion) {
    super(options, true, console);
    this.companion = companion;
  }

  @Override
  int run(ParsedExperiment parsed, @Nullable KafkaAccess external, String runId, LivePage page)
      throws UserMistakeException, IOException, InterruptedException {
    try (LaneSource lanes = LaneSource.of(parsed)) { // mistakes are found before a process starts
      RequestList requests = RequestList.of(parsed, lanes::isolatedMs);
      AbortFold.of(parsed, requests);
    }
    if (external != null) {
      external.awaitAnswer();
    }
    Path running = RunFolder.prepare(options.results(), runId);
    Path logs = Files.createDirectory(running.resolve("logs"));
    Path temporary = Files.createTempDirectory("sluice-" + runId + "-");
    Runnable atOnce =
        () -> {
          Supervisor children = supervisor;
          if (children != null) {
            children.killAll();
          }
          TemporaryFolder.remove(temporary);
        };
    try (var log = LogFile.open(logs.resolve("supervisor.log"), Secrets.NONE);
        var signals = Signals.listen(options.child(), this::stop, atOnce)) {
      begin(running, runId, parsed, page);
      Ended ended;
      try (var children = new Supervisor(logs, temporary, new Watcher())) {
        supervisor = children;
        ended = run(parsed, external, runId, children, temporary, page);
      }
      return conclude(ended, runId, signals);
    } finally {
      TemporaryFolder.remove(temporary);
    }
  }

  private Ended run(
      ParsedExperiment parsed,
      @Nullable KafkaAccess external,
      String runId,
      Supervisor children,
      Path temporary,
      LivePage page)
      throws UserMistakeException, IOException, InterruptedException {
    int port = external == null ? EmbeddedBroker.freePort() : 0;
    KafkaAccess kafka =
        external != null ? external : KafkaAccess.of("broker", "127.0.0.1:" + port, null);
    List<ChildProcess.Spec> specs = specs(parsed, kafka, port, runId, temporary);
    console.item(
        "processes", String.join(", ", specs.stream().map(ChildProcess.Spec::name).toList()));
    int ports = 0;
    for (ChildProcess.Spec spec : specs) {
      boolean role = !spec.name().equals("broker");
      children.start(role ? watched(spec, ports++) : spec);
    }
    companion.began(children, kafka);
    Ended ended;
    try (var reading = page.read(kafka);
        var watch = new BrokerWatch(kafka, companion.isShown() ? console::line : LOG::warn)) {
      ended = awaitEnd(children);
    }
    Path finished = options.results().resolve(runId);
    companion.over(
        kafka,
        new Topics(runId),
        Files.exists(finished) ? finished : options.results().resolve(runId + RunFolder.FAILED));
    return ended;
  }

  private Ended awaitEnd(Supervisor children) throws IOException, InterruptedException {
    ChildProcess analyze = children.child("analyze");
    try (var relay = companion.isShown() ? new Relay(analyze.output(), console) : null) {
      if (stopRequested) {
        stop(); // the wish came before there was a child to stop
      }
      Ended first = end.get();
      if (isOver(first)) {
        return first;
      }
      if (!first.child().name().equals("analyze")) {
        // Of a run that was given up, analytics says so and leaves its report.
        analyze = children.child("analyze");
        if (analyze.process().waitFor(FOLLOWING_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
          return new Ended(analyze, analyze.process().exitValue());
        }
      }
      if (first.child().name().equals("analyze")) {
        awaitOthers(children);
      }
      return first;
    } catch (ExecutionException e) {
      throw new IllegalStateException("only a child's end completes this future", e);
    }
  }

  /**
   * True if the run can go no further: a mistake, or a stop before it began. Generators that were
   * started again may have begun it.
   */
  private boolean isOver(Ended ended) {
    return ended.status() == ExitStatus.MISTAKE
        || (stopRequested
            && ended.child().name().equals("produce")
            && ended.child().restarts() == 0);
  }

  /** Waits for the roles, which end with the run. The broker does not. */
  private static void awaitOthers(Supervisor children) throws InterruptedException {
    long deadlineNs = MachineClock.monotonicNs() + FOLLOWING_LIMIT.toNanos();
    for (ChildProcess child : children.children()) {
      if (!child.name().equals("broker") && !child.endsBy(deadlineNs)) {
        LOG.warn("{} has not ended with the run", child.name());
      }
    }
  }

  private int conclude(Ended ended, String runId, Signals signals)
      throws UserMistakeException, IOException {
    Path finished = options.results().resolve(runId);
    if (Files.exists(finished)) {
      summaryJson = Files.readString(finished.resolve("summary.json"));
      return signals.received() ? signals.exitStatus() : ended.status();
    }
    boolean mistake = ended.status() == ExitStatus.MISTAKE;
    boolean stopped = !mistake && isOver(ended);
    Path failed = options.results().resolve(runId + RunFolder.FAILED);
    List<String> why = ended.child().lastError();
    if (!Files.exists(failed)) {
      try (var folder = RunFolder.takeOver(options.results(), runId)) {
        if (mistake || stopped) {
          folder.discardAll();
        }
      }
    }
    if (ended.status() == ExitStatus.MISSED || ended.status() == ExitStatus.INCONCLUSIVE) {
      return ended.status(); // it was ended early, and analytics has said why
    }
    if (stopped) {
      console.line("Stopped before the first job.");
      return signals.exitStatus();
    }
    if (mistake) {
      why.forEach(System.err::println);
      return ExitStatus.MISTAKE;
    }
    console.line(
        "sluice: error: the run failed: %s ended with status %s%s"
            .formatted(
                ended.child().name(),
                ended.status(),
                why.isEmpty() ? "." : ": " + why.get(0).replaceFirst("^sluice: error: ", "")));
    console.line("  Maybe its log says more: " + failed.resolve("logs"));
    return ExitStatus.BUG;
  }

  private List<ChildProcess.Spec> specs(
      ParsedExperiment parsed, KafkaAccess kafka, int port, String runId, Path temporary) {
    int shards = parsed.experiment().kafka().shards();
    List<ChildProcess.Spec> specs = new ArrayList<>();
    String bootstrap = kafka.bootstrapServers();
    boolean own = port != 0;
    if (own) {
      String data = temporary.resolve("broker").toString();
      specs.add(
          spec("broker", 384, List.of("broker", "--port", String.valueOf(port), "--data", data)));
    }
    for (int i = 0; i <= shards; i++) { // one scheduler more stands by
      specs.add(spec("schedule-" + i, 512, command("schedule", bootstrap, runId)));
    }
    for (int shard = 0; shard < shards; shard++) {
      String id = "executor-" + shard;
      List<String> execute =
          command(
              "execute", bootstrap, runId, "--shard", String.valueOf(shard), "--executor-id", id);
      execute.addAll(companion.executorOptions());
      specs.add(
          spec("execute-" + shard, parsed.experiment().lanes().emulated() ? 256 : 768, execute));
    }
    List<String> analyze =
        command("analyze", bootstrap, runId, "--results", options.results().toString());
    if (own || options.output().keepTopics()) {
      analyze.add("--keep-topics"); // the run's own broker is removed with its topics
    }
    if (options.output().noLog()) {
      analyze.add("--no-log");
    }
    analyze.addAll(console.options());
    specs.add(spec("analyze", console.isTerminal(), 512, analyze, analyze));
    String roles = Integer.toString(specs.size() + (own ? 0 : 1)); // without a broker
    specs.add(
        spec(
            "produce",
            false,
            256,
            command("produce", bootstrap, runId, "--after", roles),
            command("produce", bootstrap, runId, "--after", roles, "--resume")));
    return specs;
  }

  /** The role with an address for its metrics, that many ports after the first, if any. */
  private ChildProcess.Spec watched(ChildProcess.Spec spec, int ports) {
    MetricsAddress address = options.watching().metrics().plus(ports);
    if (address.port() != null) {
      console.item("metrics", spec.name() + " at port " + address.port());
    }
    return spec.with(address.arguments());
  }

  private ChildProcess.Spec spec(String name, int heapMb, List<String> arguments) {
    return spec(name, false, heapMb, arguments, arguments);
  }

  private ChildProcess.Spec spec(
      String name, boolean terminal, int heapMb, List<String> arguments, List<String> again) {
    return new ChildProcess.Spec(
        name, terminal, heapMb, heapMb, arguments, again, companion.restartsMax());
  }

  private List<String> command(String role, String bootstrap, String runId, String... more) {
    List<String> command = new ArrayList<>(List.of(role));
    command.addAll(options.experimentArguments());
    command.addAll(List.of("--bootstrap", bootstrap, "--run-id", runId));
    command.addAll(List.of(more));
    return command;
  }

  /** Obeys a person's wish that the run end. Called from any thread. */
  private void stop() {
    stopRequested = true;
    console.line("Stopping: no more arrivals, what runs is awaited. Again to stop at once.");
    Supervisor children = supervisor;
    if (children == null) {
      return;
    }
    try {
      for (ChildProcess child : children.children()) {
        if (child.name().equals("produce")) {
          child.expectEnd();
          child.signal(Signal.TERM);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Watcher implements Supervisor.Listener {
    @Override
    public void died(ChildProcess child, int status) {
      LOG.warn("{} died with status {}", child.name(), status);
      if (companion.isShown()) {
        console.line(
            "%s died (status %s), and is started again, for the %s. time"
                .formatted(child.name(), status, child.restarts() + 1));
      }
    }

    @Override
    public void ended(ChildProcess child, int status) {
      LOG.info("{} ended with status {}", child.name(), status);
      if (companion.takesCareOf(child, status)) {
        return;
      }
      if (child.name().equals("analyze") || status != ExitStatus.DONE) {
        end.complete(new Ended(child, status));
      }
    }
  }

  /** Shows the output file of a child on a console: its lines, and its live line. */
  private static final class Relay implements AutoCloseable {
    private static final int PERIOD_MS = 200;

    private final Reader output;
    private final Console console;
    private final ScheduledExecutorService timer = MachineClock.timer("sluice-relay");
    private final StringBuilder pending = new StringBuilder();
    private boolean pendingIsLive;

    /** Begins to read the file, which must exist. Its name may change later. */
    Relay(Path file, Console console) throws IOException {
      this.output = new BufferedReader(new InputStreamReader(Files.newInputStream(file), UTF_8));
      this.console = console;
      var unused =
          timer.scheduleWithFixedDelay(this::show, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    private synchronized void show() {
      try {
        for (int letter = output.read(); letter >= 0; letter = output.read()) {
          take((char) letter);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      if (pendingIsLive && !pending.isEmpty()) {
        console.live(pending.toString());
      }
    }

    private void take(char letter) {
      pending.append(letter);
      if (pending.indexOf(Console.CLEAR_LINE) >= 0) {
        pending.setLength(0);
        pendingIsLive = true;
      } else if (letter == '\n') {
        String line = pending.substring(0, pending.length() - 1);
        pending.setLength(0);
        if (pendingIsLive) {
          console.live(line);
          console.endLiveLine();
        } else {
          console.line(line);
        }
        pendingIsLive = false;
      }
    }

    @Override
    public void close() throws IOException {
      timer.shutdownNow();
      show();
      console.endLiveLine();
      output.close();
    }
  }
}
