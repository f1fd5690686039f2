package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.Posix;
import dev.sluice.harness.machine.Posix.Signal;
import dev.sluice.sweep.queue.QueueEvent.Aside;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueEvent.Started;
import dev.sluice.sweep.queue.QueueSettings.Verdict;
import dev.sluice.sweep.queue.QueueState.Start;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a queue: starts what its state says comes next, sees ends, and writes each step to the
 * journal before it takes it. Killed at any moment, the next scheduler goes on from the journal and
 * the attempts' files; nothing is lost and nothing starts twice.
 *
 * <p>One thread does all of it, and looks at the files of what runs fifty times a second.
 */
public final class Scheduler {
  /** Time between looks at requests and at exit statuses. */
  private static final long TICK_NS = 20_000_000;

  /** Time between looks at processes. */
  private static final long LOOK_NS = 250_000_000;

  /** Time that a task's last processes have to end by themselves. */
  private static final long GRACE_NS = 200_000_000;

  /** Time from SIGTERM to SIGKILL of what a task left running. */
  private static final long PATIENCE_NS = 10_000_000_000L;

  private final QueueFolder folder;
  private final QueueSettings settings;
  private final Work work;
  private final Sessions sessions;
  private final Consumer<String> log;
  private volatile boolean stopping;

  /** Where a person watches attempts, each of which has a session of its own. */
  public interface Sessions {
    default void begun(String task, int gpu) {}

    default void ended(String task, int gpu, boolean cleanup) {}

    /** Sessions that nobody watches. */
    static Sessions plain() {
      return new Sessions() {};
    }
  }

  /**
   * What the tasks of a queue run. Called by one thread, just before a start, so it must be quick.
   */
  public interface Work {
    /**
     * What an attempt runs.
     *
     * @param gpu id of the GPU; {@link QueueState#NO_GPU} without
     * @throws IOException if it cannot be made; the attempt has failed then
     */
    Plan plan(String name, String config, int gpu) throws IOException;

    /** The file that says that a task is done; null: its exit status alone says so. */
    @Nullable Path marker(String name);

    /**
     * What an attempt runs.
     *
     * @param command the program and its arguments, which no shell reads
     * @param environment variables beside those of the scheduler
     * @param directory the folder in which it runs
     * @param log file that its output is appended to; /dev/null: none
     * @param digest digest of all that the outcome rests on, to tell a changed task
     */
    record Plan(
        List<String> command,
        Map<String, String> environment,
        Path directory,
        Path log,
        String digest) {}
  }

  public enum End {
    ALL_ENDED,
    /** It was told to stop; tasks may run. */
    STOPPED,
    /** Tasks wait, but all GPUs that they may use are set aside or gone. */
    STUCK
  }

  public Scheduler(
      QueueFolder folder,
      QueueSettings settings,
      Work work,
      Sessions sessions,
      Consumer<String> log) {
    this.folder = folder;
    this.settings = settings;
    this.work = work;
    this.sessions = sessions;
    this.log = log;
  }

  /** Lets {@link #run} return soon; what runs goes on. From any thread. */
  public void stop() {
    stopping = true;
  }

  /**
   * Runs until nothing waits or runs, or until it is stopped.
   *
   * @throws UserMistakeException if another scheduler runs, or the journal is damaged
   */
  public End run() throws IOException, UserMistakeException, InterruptedException {
    var held = folder.hold();
    if (held.isEmpty()) {
      throw new UserMistakeException(
          folder.folder().toString(),
          "another scheduler runs here "
              + folder.holder().map(QueueFolder.Holder::words).orElse("(since just now)"),
          "its status is enough, or it should be stopped first");
    }
    try (HeldQueue queue = held.get()) {
      queue.announce();
      return run(queue);
    }
  }

  /** Runs as {@link #run()} does a queue that this process holds, and goes on to hold it. */
  public End run(HeldQueue queue) throws IOException, InterruptedException {
    return new Loop(queue).run();
  }

  private record Finished(Attempt attempt, String name, Started started, Ended ended, long atNs) {}

  private final class Loop {
    private final HeldQueue queue;
    private final QueueState state;

    /** Keepers of the attempts that run and that this scheduler began; null: it has no keeper. */
    private final Map<Attempt, @Nullable Process> keepers = new HashMap<>();

    /** Ends that the log does not have yet, since they may not have reached the disk. */
    private final List<Finished> unreported = new ArrayList<>();

    /** Ends after which files, sessions and processes may be left. */
    private final List<Finished> finished = new ArrayList<>();

    /** Attempts whose logs name what they left running. */
    private final Set<Attempt> named = new HashSet<>();

    /** When the markers of what waits were looked at. */
    private long checkedNs = MachineClock.monotonicNs() - settings.checkInterval().toNanos();

    /** True from a failed write of the journal to the next step that succeeds. */
    private boolean full;

    Loop(HeldQueue queue) {
      this.queue = queue;
      this.state = queue.state();
    }

    End run() throws IOException, InterruptedException {
      removeOld();
      step(true);
      for (TaskState task : state.running()) {
        if (isFoundAgain(task)) {
          log.accept(quoted(task) + " found again, attempt " + task.attempt());
        }
      }
      long lookedNs = MachineClock.monotonicNs();
      while (true) {
        long nowNs = MachineClock.monotonicNs();
        boolean look = nowNs - lookedNs >= LOOK_NS;
        lookedNs = look ? nowNs : lookedNs;
        step(look);
        if (stopping) {
          log.accept("stopped; tasks that run: " + state.running().size());
          return End.STOPPED;
        }
        if (!full && state.running().isEmpty() && unreported.isEmpty() && finished.isEmpty()) {
          takeRequests();
          if (state.next(settings) == null) {
            return state.anyWaits() ? End.STUCK : End.ALL_ENDED;
          }
        } else {
          MachineClock.pacer().awaitNs(nowNs + TICK_NS);
        }
      }
    }

    /** Removes what an earlier scheduler had no time to remove, except the claims that it took. */
    private void removeOld() throws IOException {
      for (Attempt attempt : Attempt.all(folder.attempts())) {
        TaskState task = attempt.task() < state.nextNumber() ? state.task(attempt.task()) : null;
        int last = task == null ? 0 : task.attempt();
        boolean runs = task != null && task.phase() == Phase.RUNNING && attempt.number() == last;
        // An attempt that the journal does not know is of a boot before the present one.
        boolean mayBeLate = attempt.number() <= last && attempt.claim() == Attempt.Claim.WITHDRAWN;
        if (!runs && !mayBeLate) {
          attempt.remove();
        }
      }
    }

    /**
     * Sees what there is to do and does it. Where the journal cannot be written, the next step sees
     * the rest again.
     *
     * @param look whether processes are looked at, too
     */
    private void step(boolean look) throws IOException {
      try {
        if (full) {
          queue.sync();
        }
        takeRequests();
        checkMarkers();
        seeEnds(look);
        fill();
        queue.sync();
        full = false;
        reportEnds();
      } catch (HeldQueue.UnwritableException e) {
        if (!full) {
          log.accept("nothing starts until the journal can be written: " + e.getMessage());
        }
        full = true;
      }
      if (look) {
        cleanUp();
      }
    }

    private void takeRequests() throws IOException {
      for (Path file : folder.requests()) {
        List<Request> requests;
        try {
          requests = Request.parse(Files.readString(file));
        } catch (IllegalArgumentException e) {
          log.accept("a request is left alone: " + file + " (" + e.getMessage() + ")");
          Files.move(file, folder.folder().resolve(file.getFileName() + ".damaged"));
          continue;
        }
        int queued = queue.queue(requests);
        queue.sync();
        Files.delete(file);
        log.accept("queued: " + queued + " of " + requests.size() + " asked");
      }
    }

    /** What waits though its marker is there is done. */
    private void checkMarkers() throws IOException {
      long nowNs = MachineClock.monotonicNs();
      if (nowNs - checkedNs >= settings.checkInterval().toNanos()) {
        for (TaskState task : state.waiting()) {
          if (isMarked(task)) {
            doneBefore(task);
          }
        }
        checkedNs = nowNs;
      }
    }

    /** Sees which attempts have ended; {@code look}: those that left no exit status, too. */
    private void seeEnds(boolean look) throws IOException {
      for (TaskState task : state.running()) {
        OptionalInt status = folder.attempt(task).status();
        if (status.isPresent()) {
          commandEnded(task, status.getAsInt());
        } else if (look) {
          judge(task);
        }
      }
    }

    /** Judges an attempt that has left no exit status, but whose keeper may be gone. */
    private void judge(TaskState task) throws IOException {
      Attempt attempt = folder.attempt(task);
      if (!task.started.boot().equals(queue.boot())) {
        commandEnded(task, Verdict.UNKNOWN); // it may have run: a reboot loses files too
        return;
      }
      switch (attempt.claim()) {
        case NONE, WITHDRAWN -> {
          Process keeper = keepers.get(attempt);
          boolean mayClaim = keeper != null && keeper.isAlive();
          if (!mayClaim && attempt.withdraw()) {
            neverBegan(task);
          }
        }
        case UNFINISHED -> {
          // A keeper may have written the rest, run its command and ended during the search.
          if (QueueProcesses.ofAttempt(attempt).isEmpty()
              && attempt.claim() == Attempt.Claim.UNFINISHED) {
            neverBegan(task);
          }
        }
        case KEPT -> {
          if (!isKept(attempt) && QueueProcesses.ofAttempt(attempt).isEmpty()) {
            commandEnded(task, attempt.status().orElse(Verdict.UNKNOWN));
          }
        }
      }
    }

    private boolean isKept(Attempt attempt) throws IOException {
      return attempt.keeper().filter(keeper -> keeper.isAlive(queue.boot())).isPresent();
    }

    /** Whether an earlier scheduler began the attempt that runs. */
    private boolean isFoundAgain(TaskState task) {
      return !keepers.containsKey(folder.attempt(task));
    }

    /** Ends an attempt whose command was not begun. */
    private void neverBegan(TaskState task) throws IOException {
      if (isFoundAgain(task)) {
        end(task, Outcome.WITHDRAWN, Verdict.UNKNOWN, "never began");
      } else {
        end(task, Outcome.FAILED, Verdict.UNKNOWN, "its keeper never began");
      }
    }

    private void commandEnded(TaskState task, int status) throws IOException {
      Verdict verdict = settings.judge(status, isMarked(task), work.marker(task.name()) != null);
      end(task, verdict.outcome(), status, verdict.why());
    }

    private void end(TaskState task, Outcome outcome, int status, String why) throws IOException {
      Attempt attempt = folder.attempt(task);
      boolean again = outcome == Outcome.FAILED && task.failures < settings.retriesMax();
      Ended ended = queue.end(task, outcome, status, why, again);
      keepers.remove(attempt);
      if (outcome == Outcome.WITHDRAWN) {
        return;
      }
      int gpu = task.gpu();
      unreported.add(
          new Finished(attempt, task.name(), task.started, ended, MachineClock.monotonicNs()));
      if (gpu != QueueState.NO_GPU
          && state.quickFailures(gpu) >= settings.setAsideAfter()
          && !state.aside().contains(gpu)) {
        queue.write(List.of(new Aside(gpu, MachineClock.epochMs())));
        log.accept("GPU " + gpu + " gets no more: tasks in a row failed on it at once");
      }
    }

    private boolean isMarked(TaskState task) {
      Path marker = work.marker(task.name());
      return marker != null && Files.exists(marker);
    }

    private void doneBefore(TaskState task) throws IOException {
      queue.end(task, Outcome.DONE_BEFORE, "");
      log.accept(quoted(task) + " is done before: its marker is there");
    }

    private void fill() throws IOException {
      for (Start next = next(); next != null; next = next()) {
        if (isMarked(next.task())) {
          doneBefore(next.task());
        } else {
          start(next.task(), next.gpu());
        }
      }
    }

    private @Nullable Start next() {
      return stopping ? null : state.next(settings);
    }

    /** Starts an attempt, or has it failed at once. */
    private void start(TaskState task, int gpu) throws IOException {
      Work.@Nullable Plan plan = null;
      String problem = "";
      try {
        plan = work.plan(task.name(), task.config(), gpu);
        if (!Files.isDirectory(plan.directory())) {
          throw new NotDirectoryException(plan.directory().toString());
        }
      } catch (IOException e) {
        problem = UserMistakeException.reason(e);
      }
      queue.start(
          task, gpu, plan == null ? "" : plan.digest(), plan == null ? "" : plan.log().toString());
      Attempt attempt = folder.attempt(task);
      Process keeper = null;
      if (plan != null && problem.isEmpty()) {
        try {
          keeper = attempt.start(plan, folder.variables(), TaskLog.start(task, folder));
        } catch (IOException e) {
          problem = UserMistakeException.reason(e);
        }
      }
      keepers.put(attempt, keeper);
      if (problem.isEmpty()) {
        sessions.begun(task.name(), gpu);
      } else {
        end(task, Outcome.FAILED, Verdict.UNKNOWN, "it cannot be started: " + problem);
      }
    }

    /** Writes ends that are on the disk to the logs. */
    private void reportEnds() {
      for (Finished end : unreported) {
        log.accept(TaskLog.endLine(end.name, end.ended));
        TaskLog.appendEnd(end.started.log(), end.name, end.ended);
      }
      finished.addAll(unreported);
      unreported.clear();
    }

    /** Sees what attempts left running, in one pass over all processes, and removes their files. */
    private void cleanUp() throws IOException {
      long nowNs = MachineClock.monotonicNs();
      List<Finished> due = finished.stream().filter(end -> nowNs - end.atNs >= GRACE_NS).toList();
      if (due.isEmpty()) {
        return;
      }
      Map<String, List<Long>> left =
          QueueProcesses.ofAttempts(due.stream().map(end -> end.attempt).toList());
      for (Finished end : due) {
        if (isKept(end.attempt)) {
          continue; // it ends just now
        }
        List<Long> pids = left.getOrDefault(end.attempt.id(), List.of());
        if (!pids.isEmpty()) {
          leftRunning(end, pids, nowNs - end.atNs > PATIENCE_NS);
        }
        if (pids.isEmpty() || !settings.cleanup()) {
          end.attempt.remove();
          sessions.ended(end.name, end.started.gpu(), settings.cleanup());
          named.remove(end.attempt);
          finished.remove(end);
        }
      }
    }

    private void leftRunning(Finished end, List<Long> pids, boolean late) throws IOException {
      if (named.add(end.attempt)) {
        String line =
            "task (%s) left processes running: %s%s"
                .formatted(
                    end.name,
                    QueueProcesses.words(pids),
                    settings.cleanup() ? "; they are ended" : "");
        log.accept(line);
        TaskLog.append(end.started.log(), line);
      }
      if (settings.cleanup()) {
        for (long pid : pids) {
          boolean unused = Posix.kill(pid, late ? Signal.KILL : Signal.TERM);
        }
      }
    }
  }

  private static String quoted(TaskState task) {
    return "task (" + task.name() + ")";
  }
}
