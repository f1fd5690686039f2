package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.Posix;
import dev.sluice.sweep.queue.QueueEvent.Aside;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueEvent.Started;
import dev.sluice.sweep.queue.QueueState.Start;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The loop of a scheduler that holds its queue; see {@link Scheduler}. */
final class Loop implements Keepers.Listener, AutoCloseable {
  /** Longest wait for a keeper to claim its attempt. */
  private static final long CLAIM_LIMIT_NS = 10_000_000_000L;

  /** Time between looks where only looking helps, such as a full disk. */
  private static final long LOOK_MS = 1000;

  private final QueueFolder folder;
  private final String boot;
  private final QueueSettings settings;
  private final Work work;
  private final Ledger ledger;
  private final Aftermath after;
  private final Consumer<String> log;
  private final QueueState state;
  private final BlockingQueue<Scheduler.News> mailbox;
  private final Keepers keepers;
  private final Map<Integer, Live> live = new HashMap<>();

  private boolean stopping;
  private long lookedNs = MachineClock.monotonicNs();

  /**
   * What a loop works with.
   *
   * @param boot id of the present boot
   */
  record Parts(
      QueueFolder folder,
      String boot,
      QueueSettings settings,
      Work work,
      Ledger ledger,
      Aftermath after,
      Consumer<String> log) {}

  /** An attempt that runs. */
  private static final class Live {
    final Attempt attempt;
    final long sinceNs = MachineClock.monotonicNs();

    /** True: nobody holds its pipe, but processes of it live. */
    boolean silent;

    /** True: an earlier scheduler began it, in this boot. */
    final boolean foundAgain;

    Live(Attempt attempt, boolean foundAgain) {
      this.attempt = attempt;
      this.foundAgain = foundAgain;
    }
  }

  Loop(Parts parts, QueueState state, BlockingQueue<Scheduler.News> mailbox, Sessions sessions) {
    this.folder = parts.folder;
    this.boot = parts.boot;
    this.settings = parts.settings;
    this.work = parts.work;
    this.ledger = parts.ledger;
    this.after = parts.after;
    this.log = parts.log;
    this.state = state;
    this.mailbox = mailbox;
    this.keepers = new Keepers(folder, sessions, work.keeper(), this);
  }

  @Override
  public void ended(Attempt attempt, int status) {
    mailbox.add(new Scheduler.News.CommandEnded(attempt, status));
  }

  @Override
  public void gone(Attempt attempt) {
    mailbox.add(new Scheduler.News.Gone(attempt));
  }

  @Override
  public void close() throws InterruptedException {
    keepers.close();
    ledger.end();
  }

  Scheduler.End run() throws IOException, InterruptedException {
    removeOld();
    findAgain();
    takeRequests();
    checkMarkers();
    rehearse();
    while (true) {
      fill();
      if (stopping) {
        log.accept("stopped; tasks that run: " + live.size());
        return Scheduler.End.STOPPED;
      }
      if (live.isEmpty() && !ledger.isFull()) {
        takeRequests();
        if (!ledger.isFull() && state.next(settings) == null) {
          return state.anyWaits() ? Scheduler.End.STUCK : Scheduler.End.ALL_ENDED;
        }
        continue;
      }
      Scheduler.News first = mailbox.poll(waitMs(), TimeUnit.MILLISECONDS);
      if (first != null) {
        List<Scheduler.News> all = new ArrayList<>(List.of(first));
        mailbox.drainTo(all);
        take(all);
      }
      if (MachineClock.monotonicNs() - lookedNs >= TimeUnit.MILLISECONDS.toNanos(waitMs())) {
        look();
        lookedNs = MachineClock.monotonicNs();
      }
    }
  }

  private long waitMs() {
    boolean looking = ledger.isFull() || live.values().stream().anyMatch(running -> running.silent);
    long interval = settings.checkInterval().toMillis();
    return looking ? Math.min(LOOK_MS, interval) : interval;
  }

  private void take(List<Scheduler.News> all) throws IOException, InterruptedException {
    for (Scheduler.News news : all) {
      if (news instanceof Scheduler.News.CommandEnded ended) {
        commandEnded(ended.attempt(), ended.status());
        fill(); // the slot first, what else there is later
      } else if (news instanceof Scheduler.News.Gone gone) {
        judge(gone.attempt());
      } else if (news instanceof Scheduler.News.FilesCame came) {
        filesCame(came.files());
      } else {
        stopping = true;
      }
    }
  }

  private void filesCame(List<Path> files) throws IOException, InterruptedException {
    if (files.isEmpty()) {
      takeRequests();
      checkMarkers();
      return;
    }
    if (files.stream().anyMatch(file -> file.startsWith(folder.inbox()))) {
      takeRequests();
    }
    for (Path file : files) {
      String name = work.marked(file);
      TaskState task = name == null ? null : state.task(name);
      if (task != null && task.phase() == Phase.WAITING) {
        checkMarker(task);
      }
    }
  }

  /** Looks at everything that events may have failed to tell. */
  private void look() throws IOException, InterruptedException {
    ledger.pay();
    takeRequests();
    checkMarkers();
    for (Live running : List.copyOf(live.values())) {
      boolean late = MachineClock.monotonicNs() - running.sinceNs > CLAIM_LIMIT_NS;
      OptionalInt status = running.attempt.status();
      if (status.isPresent()) {
        commandEnded(running.attempt, status.getAsInt());
      } else if (running.silent
          || (late && running.attempt.claim() instanceof Attempt.Claim.None)) {
        judge(running.attempt);
      }
    }
  }

  private void findAgain() throws IOException {
    for (TaskState task : state.running()) {
      Attempt attempt = folder.attempt(task);
      boolean sinceBoot = task.boot.equals(boot);
      live.put(task.number, new Live(attempt, sinceBoot));
      OptionalInt status = attempt.status();
      if (status.isPresent()) {
        commandEnded(attempt, status.getAsInt());
      } else if (!sinceBoot) {
        commandEnded(
            attempt, Verdict.UNKNOWN); // it may have run, claim or none: files get lost too
      } else if (attempt.claim() instanceof Attempt.Claim.None && attempt.withdraw()) {
        withdrawn(task);
      } else {
        log.accept(quoted(task) + " found again, attempt " + task.attempt());
        keepers.findAgain(attempt);
      }
    }
  }

  /** Loads what a start needs, so that the end of what was found again is soon followed by one. */
  private void rehearse() {
    if (!live.isEmpty() && state.anyWaits()) {
      Posix.load();
      TaskState next = state.waiting().get(0);
      try {
        Object unused = work.plan(next.name(), next.config(), settings.slotIds().get(0));
      } catch (IOException e) {
        log.accept(quoted(next) + " cannot be started yet: " + UserMistakeException.reason(e));
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
      boolean mayBeLate =
          attempt.number() <= last && attempt.claim() instanceof Attempt.Claim.Withdrawn;
      if (!runs && !mayBeLate) {
        attempt.remove();
      }
    }
  }

  /** Judges an attempt whose pipe nobody holds. */
  private void judge(Attempt attempt) throws IOException {
    Live running = live.get(attempt.task());
    if (running == null || !running.attempt.equals(attempt)) {
      return;
    }
    OptionalInt status = attempt.status();
    if (status.isPresent()) {
      commandEnded(attempt, status.getAsInt());
      return;
    }
    if (attempt.claim() instanceof Attempt.Claim.None) {
      if (attempt.withdraw()) {
        end(attempt, Outcome.FAILED, Verdict.UNKNOWN, "its keeper never began");
        return;
      }
    }
    if (running.foundAgain && attempt.claim() instanceof Attempt.Claim.Unfinished) {
      withdrawn(state.task(attempt.task())); // who claims by half runs nothing
      return;
    }
    running.silent = !Leftovers.ofAttempt(attempt).isEmpty();
    if (!running.silent) {
      commandEnded(attempt, Verdict.UNKNOWN);
    }
  }

  private void commandEnded(Attempt attempt, int status) {
    Live running = live.get(attempt.task());
    if (running == null || !running.attempt.equals(attempt)) {
      return; // heard of before
    }
    Path marker = work.marker(state.task(attempt.task()).name());
    Verdict verdict =
        Verdict.of(status, marker != null && Files.exists(marker), marker != null, settings);
    end(attempt, verdict.outcome(), status, verdict.why());
  }

  private void end(Attempt attempt, Outcome outcome, int status, String why) {
    live.remove(attempt.task());
    TaskState task = state.task(attempt.task());
    boolean again = outcome == Outcome.FAILED && task.failures < settings.retriesMax();
    Ended ended = ended(task, outcome, status, why, again);
    long position = record(ended);
    int gpu = task.gpu();
    if (gpu != QueueState.NO_GPU
        && state.quickFailures(gpu) >= settings.setAsideAfter()
        && !state.aside().contains(gpu)) {
      long unused = record(new Aside(gpu, MachineClock.epochMs()));
      log.accept("GPU " + gpu + " gets no more: tasks in a row failed on it at once");
    }
    after.ended(new Aftermath.End(attempt, ended, position, task.name(), gpu, task.log()));
  }

  private Ended ended(TaskState task, Outcome outcome, int status, String why, boolean again) {
    long now = MachineClock.epochMs();
    long ranMs = Math.max(0, now - task.sinceMs());
    int attempt = task.phase() == Phase.RUNNING ? task.attempt() : 0;
    return new Ended(task.number, attempt, outcome, status, why, again, ranMs, now);
  }

  private void takeRequests() throws IOException, InterruptedException {
    for (Path file : folder.requests()) {
      Request request;
      try {
        request = Request.parse(Files.readString(file));
      } catch (IllegalArgumentException e) {
        log.accept("a request is left alone: " + file + " (" + e.getMessage() + ")");
        Files.move(file, folder.folder().resolve(file.getFileName() + ".damaged"));
        continue;
      }
      if (!queue(request)) {
        return; // the disk is full: the request stays where it is
      }
      Files.delete(file);
    }
  }

  private boolean queue(Request request) throws InterruptedException {
    List<QueueEvent> events = request.events(state, MachineClock.epochMs());
    if (!ledger.write(events)) {
      return false;
    }
    events.forEach(state::apply);
    if (!ledger.settle()) {
      return false;
    }
    log.accept("queued: " + (events.size() - 1) + " of " + request.entries().size() + " asked");
    return true;
  }

  /** What waits though its marker is there is done. */
  private void checkMarkers() {
    if (work.markers() != null) {
      state.waiting().forEach(this::checkMarker);
    }
  }

  private void checkMarker(TaskState task) {
    if (isMarked(task)) {
      doneBefore(task);
    }
  }

  private void doneBefore(TaskState task) {
    long unused = record(ended(task, Outcome.DONE_BEFORE, Verdict.UNKNOWN, "", false));
    log.accept(quoted(task) + " is done before: its marker is there");
  }

  private void withdrawn(TaskState task) {
    long unused = record(ended(task, Outcome.WITHDRAWN, Verdict.UNKNOWN, "never began", false));
    live.remove(task.number);
  }

  private boolean isMarked(TaskState task) {
    Path marker = work.marker(task.name());
    return marker != null && Files.exists(marker);
  }

  /** Starts what can start. */
  private void fill() {
    while (!stopping && !ledger.isFull()) {
      Start start = state.next(settings);
      if (start == null) {
        keepers.want(Math.min(state.waitingCount(), settings.slotCount()));
        return;
      }
      if (isMarked(start.task())) {
        doneBefore(start.task());
      } else if (!start(start.task(), start.gpu())) {
        return;
      }
    }
  }

  /** False: the disk is full. */
  private boolean start(TaskState task, int gpu) {
    long now = MachineClock.epochMs();
    Work.@Nullable Plan plan = null;
    String problem = "";
    try {
      plan = work.plan(task.name(), task.config(), gpu);
    } catch (IOException e) {
      problem = UserMistakeException.reason(e);
    }
    var started =
        new Started(
            task.number,
            task.attempt() + 1,
            gpu,
            plan == null ? "" : plan.digest(),
            plan == null ? "" : plan.log().toString(),
            boot,
            now);
    if (!ledger.write(List.of(started))) {
      return false;
    }
    state.apply(started);
    Attempt attempt = folder.attempt(task);
    live.put(task.number, new Live(attempt, false));
    if (plan == null) {
      end(attempt, Outcome.FAILED, Verdict.UNKNOWN, "it cannot be started: " + problem);
      return true;
    }
    try {
      keepers.start(attempt, task, plan, Aftermath.begun(task, folder.folder()));
    } catch (IOException e) {
      notStarted(attempt, e);
    }
    return true;
  }

  private void notStarted(Attempt attempt, IOException e) {
    try {
      if (attempt.withdraw()) {
        end(
            attempt,
            Outcome.FAILED,
            Verdict.UNKNOWN,
            "it cannot be started: " + UserMistakeException.reason(e));
        return;
      }
    } catch (IOException full) {
      log.accept("an attempt cannot be withdrawn: " + full);
    }
    live(attempt).silent = true;
  }

  private Live live(Attempt attempt) {
    Live running = live.get(attempt.task());
    if (running == null) {
      throw new IllegalStateException(attempt + " does not run");
    }
    return running;
  }

  /** Takes in what has happened; returns its position in the ledger. */
  private long record(QueueEvent event) {
    state.apply(event);
    return ledger.record(event);
  }

  private static String quoted(TaskState task) {
    return "task (" + task.name() + ")";
  }
}
