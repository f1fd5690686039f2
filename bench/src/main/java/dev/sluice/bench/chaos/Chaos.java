package dev.sluice.bench.chaos;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.ChildProcess.Signal;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.Supervisor;
import dev.sluice.harness.run.ProcessesRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults, inflicted one after the other on the processes of a run that this process started, and
 * the audit of what the run left. A seed gives the same faults in the same order; when they come
 * depends on how fast the roles come back.
 *
 * <p>After each fault this class waits until the role is back. The load ends with the last fault.
 */
public final class Chaos implements ProcessesRun.Companion {
  private static final Logger LOG = LoggerFactory.getLogger(Chaos.class);

  private static final long BACK_LIMIT_MS = 90_000;
  private static final long CALM_MS_MIN = 300;
  private static final long CALM_MS_SPAN = 1_700;

  /** Length of a scheduler's stop: longer than it may be silent before another takes its shards. */
  private static final long SCHEDULER_STOPPED_MS = 4_000;

  /** Length of a lane's hang: longer than a batch may take before its lane counts as lost. */
  private static final long LANE_HANGS_MS = 12_000;

  /** Kinds of faults. */
  enum Fault {
    KILL_SCHEDULER,
    KILL_EXECUTOR,
    KILL_GENERATOR,
    KILL_ANALYTICS,
    KILL_BROKER,
    STOP_SCHEDULER,
    STOP_EXECUTOR,
    ABORT_EXECUTOR,
    HANG_LANE,
    FILL_BROKER_DISK,

    /** The scheduler that writes a snapshot of its state is killed meanwhile. */
    KILL_IN_SNAPSHOT,

    /** The scheduler is killed while as many jobs wait as were asked for. */
    KILL_IN_BACKLOG;

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Faults to be shuffled: each once, but twice for the roles that decide and compute. */
  private static final List<Fault> DECK =
      Stream.concat(
              Arrays.stream(Fault.values()), Stream.of(Fault.KILL_SCHEDULER, Fault.KILL_EXECUTOR))
          .toList();

  private final int faultsWanted;

  /**
   * Number of jobs that wait when the scheduler is killed in a backlog; 0: this fault is left out.
   */
  private final int waiting;

  private final Random random;
  private final Experiment experiment;
  private final Path results;
  private final String runId;
  private final Path log;
  private final Console console;
  private final List<String> inflicted = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread thread = new Thread(this::inflictAll, "sluice-chaos");
  private final boolean canFillDisks = canFillDisks();
  private long startedAtNs;
  private volatile boolean brokerDiskIsFull;
  private volatile boolean resultsDiskIsFull;
  private volatile boolean looksFinished;
  private @Nullable Supervisor children;
  private @Nullable KafkaAccess kafka;
  private volatile @Nullable Throwable failure;
  private @Nullable Path folder;
  private @Nullable LogAudit audit;

  /**
   * @param waiting number of jobs that wait when the scheduler is killed in a backlog; 0: this
   *     fault is left out
   * @param results folder of all runs; the log of the faults stands in it, beside the run's folder
   */
  Chaos(
      int faultsWanted,
      int waiting,
      long seed,
      Experiment experiment,
      Path results,
      String runId,
      Console console) {
    this.faultsWanted = faultsWanted;
    this.waiting = waiting;
    this.random = new Random(seed);
    this.experiment = experiment;
    this.results = results;
    this.runId = runId;
    this.log = results.resolve(runId + ".faults.csv");
    this.console = console;
  }

  @Override
  public int restartsMax() {
    return Integer.MAX_VALUE;
  }

  @Override
  public List<String> executorOptions() {
    return List.of("--faults-from-stdin");
  }

  @Override
  public boolean isShown() {
    return false; // each fault has a line of its own
  }

  @Override
  public void began(Supervisor children, KafkaAccess kafka) {
    this.children = children;
    this.kafka = kafka;
    startedAtNs = MachineClock.monotonicNs();
    if (!canFillDisks) {
      console.line("No disk is filled: there is no prlimit here.");
    }
    thread.setDaemon(true);
    thread.start();
  }

  private Supervisor children() {
    if (children == null) {
      throw new IllegalStateException("nothing runs yet");
    }
    return children;
  }

  private void inflictAll() {
    try {
      for (ChildProcess child : children().children()) {
        awaitBack(child.name(), 0);
      }
      List<Fault> deck = new ArrayList<>();
      for (int i = 0; i < faultsWanted && !calm(); i++) {
        if (deck.isEmpty()) {
          deck.addAll(DECK);
          if (!canFillDisks) {
            deck.remove(Fault.FILL_BROKER_DISK);
          }
          if (waiting == 0) {
            deck.remove(Fault.KILL_IN_BACKLOG);
          }
          Collections.shuffle(deck, random);
        }
        inflict(deck.remove(deck.size() - 1));
      }
      if (faultsWanted > 1 && canFillDisks) {
        fillResultsDisk();
      }
      ChildProcess produce = children().child("produce");
      produce.expectEnd();
      produce.signal(Signal.TERM); // ends the arrivals; running batches are awaited
    } catch (InterruptedException e) {
      LOG.info("no more faults: the run is over");
    } catch (RuntimeException | Error | IOException e) {
      LOG.error("no more faults", e);
      failure = e;
      children().killAll();
    }
  }

  /** Lets the run go on undisturbed for a while. Returns true if the run is over. */
  private boolean calm() throws InterruptedException {
    return over.await(CALM_MS_MIN + random.nextLong(CALM_MS_SPAN), TimeUnit.MILLISECONDS);
  }

  private void inflict(Fault fault) throws InterruptedException, IOException {
    int shard = random.nextInt(experiment.kafka().shards());
    int scheduler = random.nextInt(experiment.kafka().shards() + 1);
    int lane = random.nextInt(experiment.lanes().count());
    long extraMs = random.nextLong(2_000);
    switch (fault) {
      case KILL_SCHEDULER -> end(fault, "schedule-" + scheduler, Signal.KILL);
      case KILL_EXECUTOR -> end(fault, "execute-" + shard, Signal.KILL);
      case KILL_GENERATOR -> end(fault, "produce", Signal.KILL);
      case KILL_ANALYTICS -> end(fault, "analyze", Signal.KILL);
      case KILL_BROKER -> end(fault, "broker", Signal.KILL);
      case ABORT_EXECUTOR -> end(fault, "execute-" + shard, Signal.ABRT);
      case STOP_SCHEDULER -> stop(fault, "schedule-" + scheduler, SCHEDULER_STOPPED_MS + extraMs);
      case STOP_EXECUTOR ->
          stop(fault, "execute-" + shard, experiment.lanes().leaseMs() + 500 + extraMs);
      case HANG_LANE -> {
        ChildProcess child = note(fault, "execute-" + shard);
        child.tell("hang " + lane);
        over.await(LANE_HANGS_MS, TimeUnit.MILLISECONDS);
        endNow(child, Signal.KILL); // only a new process gives the lane back
      }
      case FILL_BROKER_DISK -> {
        ChildProcess child = note(fault, "broker");
        brokerDiskIsFull = true;
        limitFileSize(child);
        awaitBack("broker", child.restarts() + 1);
        brokerDiskIsFull = false;
      }
      case KILL_IN_SNAPSHOT, KILL_IN_BACKLOG -> endOwner(fault, shard);
    }
  }

  /** Kills the scheduler that decides for a shard, in its moment. */
  private void endOwner(Fault fault, int anyShard) throws InterruptedException {
    if (kafka == null) {
      throw new IllegalStateException("nothing runs yet");
    }
    Topics topics = new Topics(runId);
    var moments = new Moments(kafka, topics, experiment.kafka().shards(), over);
    ChildProcess owner;
    try (var register =
        RunRegister.open(
            topics,
            kafka.clients(),
            MachineClock.process(),
            e -> LOG.error("the register cannot be read", e))) {
      int shard = anyShard;
      if (fault == Fault.KILL_IN_SNAPSHOT) {
        shard = moments.awaitSnapshot();
      } else {
        moments.awaitWaiting(waiting);
      }
      owner = ShardOwner.of(children(), register, shard).orElseThrow();
    }
    end(fault, owner.name(), Signal.KILL);
  }

  private void end(Fault fault, String name, Signal signal) throws InterruptedException {
    endNow(note(fault, name), signal);
  }

  private void endNow(ChildProcess child, Signal signal) throws InterruptedException {
    child.signal(signal);
    awaitBack(child.name(), child.restarts() + 1);
  }

  private void stop(Fault fault, String name, long forMs) throws InterruptedException {
    ChildProcess child = note(fault, name);
    child.signal(Signal.STOP);
    over.await(forMs, TimeUnit.MILLISECONDS);
    child.signal(Signal.CONT);
  }

  /** Fills the results' disk when the run ends: analytics fails, and is started once more. */
  private void fillResultsDisk() throws InterruptedException, IOException {
    ChildProcess analyze = children().child("analyze");
    note("fill-results-disk", analyze);
    resultsDiskIsFull = true;
    limitFileSize(analyze);
  }

  private ChildProcess note(Fault fault, String name) {
    ChildProcess child = children().child(name);
    note(fault.text(), child);
    return child;
  }

  private void note(String what, ChildProcess child) {
    String line =
        String.format(
            Locale.ROOT,
            "%.3f,%s,%s,%d",
            (MachineClock.monotonicNs() - startedAtNs) / 1e9,
            what,
            child.name(),
            child.pid());
    inflicted.add(what);
    console.line(
        String.format(
            Locale.ROOT,
            "%5.0f s  fault %d: %s (%s)",
            (MachineClock.monotonicNs() - startedAtNs) / 1e9,
            inflicted.size(),
            what,
            child.name()));
    try {
      Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Tells whether the files of another process can be limited, which only Linux can. */
  public static boolean canFillDisks() {
    try {
      Launch.of("prlimit", "--version")
          .output(ProcessBuilder.Redirect.DISCARD)
          .errorsToOutput()
          .start();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Stops all files of a process from growing, as on a full disk. The hard limit stays, and a new
   * process has no such limit.
   */
  private static void limitFileSize(ChildProcess child) throws IOException, InterruptedException {
    int status =
        Launch.of("prlimit", "--pid", Long.toString(child.pid()), "--fsize=0:unlimited").status();
    if (status != 0) {
      throw new IOException("prlimit ended with status " + status);
    }
  }

  /** Waits until a role is up in its start number {@code restarts}, from 0. */
  private void awaitBack(String name, int restarts) throws InterruptedException {
    long deadlineNs = MachineClock.monotonicNs() + BACK_LIMIT_MS * 1_000_000;
    while (!over.await(50, TimeUnit.MILLISECONDS)) {
      ChildProcess child = children().child(name);
      if (child.restarts() >= restarts && child.isUp()) {
        return;
      }
      if (MachineClock.monotonicNs() - deadlineNs > 0) {
        throw new IllegalStateException(
            name + " was not back " + BACK_LIMIT_MS / 1000 + " s after a fault");
      }
    }
    throw new InterruptedException("the run is over");
  }

  @Override
  public boolean takesCareOf(ChildProcess child, int status) {
    if (over.getCount() == 0) {
      return false;
    }
    if (child.name().equals("broker") && brokerDiskIsFull) {
      return restart(child);
    }
    if (child.name().equals("analyze") && resultsDiskIsFull) {
      resultsDiskIsFull = false;
      looksFinished = Files.exists(results.resolve(runId));
      takeBackFailedFolder();
      return restart(child);
    }
    return false;
  }

  private void takeBackFailedFolder() {
    Path failed = results.resolve(runId + ".failed");
    try {
      if (Files.exists(failed)) {
        Files.move(failed, results.resolve(runId + ".running"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean restart(ChildProcess child) {
    try {
      children().start(child.spec());
      return true;
    } catch (IOException e) {
      LOG.error("{} cannot be started again", child.name(), e);
      return false;
    }
  }

  @Override
  public void over(KafkaAccess kafka, Topics topics, Path folder)
      throws IOException, InterruptedException {
    over.countDown();
    thread.join();
    this.folder = folder;
    if (Files.exists(folder.resolve("summary.json"))) {
      audit = LogAudit.of(kafka.clients().properties(), topics, folder, List.copyOf(inflicted));
    }
  }

  /** True if a run that could not write its results left a folder that looks finished. */
  boolean looksFinished() {
    return looksFinished;
  }

  /** The log of the faults, a line each: seconds, kind, role, process. */
  Path log() {
    return log;
  }

  /** The run's folder, finished or failed. */
  Path folder() {
    if (folder == null) {
      throw new IllegalStateException("the run is not over");
    }
    return folder;
  }

  /** True if the run is whole. */
  boolean hasFinished() {
    return Files.exists(results.resolve(runId));
  }

  /** The audit's findings; null if the run came to no end. */
  @Nullable LogAudit audit() {
    return audit;
  }

  /** The failure that ended the faults early; null: none. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Number of times that each fault was inflicted. */
  Map<String, Integer> inflicted() {
    Map<String, Integer> counts = new TreeMap<>();
    List.copyOf(inflicted).forEach(fault -> counts.merge(fault, 1, Integer::sum));
    return counts;
  }
}
