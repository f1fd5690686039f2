package dev.sluice.harness.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.sweep.queue.QueueEvent.Aside;
import dev.sluice.harness.sweep.queue.QueueEvent.Ended;
import dev.sluice.harness.sweep.queue.QueueEvent.Outcome;
import dev.sluice.harness.sweep.queue.QueueEvent.Started;
import dev.sluice.harness.sweep.queue.QueueState.Start;
import dev.sluice.harness.sweep.queue.TaskState.Phase;
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
  private final QueueSettings settings;
  private final Work work;
  private final Journal journal;
  private final Syncing syncing;
  private final Aftermath after;
  private final Consumer<String> log;
  private final QueueState state;
  private final BlockingQueue<Scheduler.News> mailbox;
  private final Keepers keepers;
  private final Map<Integer, Live> live = new HashMap<>();

  /** Events that happened but are not in the journal, since the disk is full. */
  private final List<QueueEvent> owed = new ArrayList<>();

  private boolean stopping;
  private long lookedNs = MachineClock.monotonicNs();

  /** True from a failed write to the next look. */
  private boolean full;

  /** What a loop works with. */
  record Parts(
      QueueFolder folder,
      QueueSettings settings,
      Work work,
      Journal journal,
      Syncing syncing,
      Aftermath after,
      Consumer<String> log) {}

  /** An attempt that runs. */
  private static final class Live {
    final Attempt attempt;
    final long sinceNs = MachineClock.monotonicNs();

    /** True: nobody holds its pipe, but processes of it live. */
    boolean silent;

    Live(Attempt attempt) {
      this.attempt = attempt;
    }
  }

  Loop(Parts parts, QueueState state, BlockingQueue<Scheduler.News> mailbox, Sessions sessions) {
    this.folder = parts.folder;
    this.settings = parts.settings;
    this.work = parts.work;
    this.journal = parts.journal;
    this.syncing = parts.syncing;
    this.after = parts.after;
    this.log = parts.log;
    this.state = state;
    this.mailbox = mailbox;
    this.keepers = new Keepers(folder, sessions, this);
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
  }

  Scheduler.End run() throws IOException, InterruptedException {
    findAgain();
    removeOld();
    takeRequests();
    checkMarkers();
    while (true) {
      fill();
      if (stopping) {
        syncing.await();
        log.accept("stopped; tasks that run: " + live.size());
        return Scheduler.End.STOPPED;
      }
      if (live.isEmpty() && owed.isEmpty() && !full) {
        syncing.await();
        takeRequests();
        if (state.next(settings) == null) {
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
    boolean looking = full || live.values().stream().anyMatch(running -> running.silent);
    long interval = settings.checkInterval().toMillis();
    return looking ? Math.min(LOOK_MS, interval) : interval;
  }

  private void take(List<Scheduler.News> all) throws IOException {
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

  private void filesCame(List<Path> files) throws IOException {
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
  private void look() throws IOException {
    pay();
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
      live.put(task.number, new Live(attempt));
      OptionalInt status = attempt.status();
      if (status.isPresent()) {
        commandEnded(attempt, status.getAsInt());
      } else if (attempt.claim() instanceof Attempt.Claim.None && attempt.withdraw()) {
        record(ended(task, Outcome.WITHDRAWN, Verdict.UNKNOWN, "never began", false));
        live.remove(task.number);
      } else {
        log.accept(quoted(task) + " found again, attempt " + task.attempt());
        keepers.findAgain(attempt);
      }
    }
  }

  /** Removes what an earlier scheduler had no time to remove. */
  private void removeOld() throws IOException {
    for (Attempt attempt : Attempt.all(folder.attempts())) {
      boolean ended =
          attempt.task() >= state.nextNumber()
              || attempt.number() < state.task(attempt.task()).attempt()
              || !live.containsKey(attempt.task());
      if (ended && !(attempt.claim() instanceof Attempt.Claim.Withdrawn)) {
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
    record(ended);
    int gpu = task.gpu();
    if (gpu != QueueState.NO_GPU
        && state.quickFailures(gpu) >= settings.setAsideAfter()
        && !state.aside().contains(gpu)) {
      record(new Aside(gpu, MachineClock.epochMs()));
      log.accept("GPU " + gpu + " gets no more: tasks in a row failed on it at once");
    }
    log.accept(
        quoted(task)
            + (outcome == Outcome.DONE ? " is done" : " has failed")
            + (why.isEmpty() ? "" : ": " + why)
            + (again ? "; it waits again" : ""));
    after.ended(attempt, ended, task.name(), gpu, task.log());
  }

  private Ended ended(TaskState task, Outcome outcome, int status, String why, boolean again) {
    long now = MachineClock.epochMs();
    long ranMs = Math.max(0, now - task.sinceMs());
    int attempt = task.phase() == Phase.RUNNING ? task.attempt() : 0;
    return new Ended(task.number, attempt, outcome, status, why, again, ranMs, now);
  }

  private void takeRequests() throws IOException {
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
      journal.sync();
      Files.delete(file);
    }
  }

  private boolean queue(Request request) {
    List<QueueEvent> events = request.events(state, MachineClock.epochMs());
    if (full || !write(events)) {
      return false;
    }
    events.forEach(state::apply);
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
      record(ended(task, Outcome.DONE_BEFORE, Verdict.UNKNOWN, "", false));
      log.accept(quoted(task) + " is done before: its marker is there");
    }
  }

  private boolean isMarked(TaskState task) {
    Path marker = work.marker(task.name());
    return marker != null && Files.exists(marker);
  }

  /** Starts what can start. */
  private void fill() {
    while (!stopping && !full) {
      Start start = state.next(settings);
      if (start == null) {
        keepers.want(Math.min(state.waitingCount(), settings.slotCount()));
        return;
      }
      if (isMarked(start.task())) {
        record(ended(start.task(), Outcome.DONE_BEFORE, Verdict.UNKNOWN, "", false));
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
            now);
    if (!write(List.of(started))) {
      return false;
    }
    state.apply(started);
    Attempt attempt = folder.attempt(task);
    live.put(task.number, new Live(attempt));
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

  private boolean write(List<QueueEvent> events) {
    try {
      journal.append(events);
    } catch (IOException e) {
      if (!full) {
        full = true;
        log.accept("nothing starts until the journal can be written: " + e.getMessage());
      }
      return false;
    }
    syncing.wake();
    return true;
  }

  /** Takes in what has happened, in the journal now or as soon as the disk has room. */
  private void record(QueueEvent event) {
    state.apply(event);
    if (!owed.isEmpty() || !write(List.of(event))) {
      owed.add(event);
    }
  }

  private void pay() {
    if (owed.isEmpty()) {
      full = false; // the next start tries
    } else if (write(List.copyOf(owed))) {
      owed.clear();
      full = false;
      log.accept("the journal can be written again");
    }
  }

  private static String quoted(TaskState task) {
    return "task (" + task.name() + ")";
  }
}
