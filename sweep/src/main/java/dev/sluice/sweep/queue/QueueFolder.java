package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ProcessIdentity;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The folder in which a queue keeps its journal, its attempts and what is handed over to it. */
public record QueueFolder(Path folder) {
  private static final AtomicInteger HANDED = new AtomicInteger();

  /** Times to ask for a lock that a command may hold for an instant, and the pause between. */
  private static final int LOCK_TRIES = 100;

  private static final long LOCK_PAUSE_NS = 5_000_000;

  /** Queues whose scheduler is in this process: to open and close a lock's file would free it. */
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  /** The queue of a folder, which is made when something is handed over. */
  public QueueFolder {
    folder = folder.toAbsolutePath().normalize();
  }

  public record Holder(ProcessIdentity process, Instant since) {
    public String words() {
      return "(pid " + process.pid() + ", since " + since + ")";
    }
  }

  /** Variables in the environment of each process of the queue, by which it is found. */
  Map<String, String> variables() {
    return Map.of(Attempt.QUEUE, folder.toString());
  }

  public Path journal() {
    return folder.resolve("journal");
  }

  Path inbox() {
    return folder.resolve("inbox");
  }

  Path attempts() {
    return folder.resolve("attempts");
  }

  private Path lockFile() {
    return folder.resolve("lock");
  }

  private Path holderFile() {
    return folder.resolve("scheduler");
  }

  public void make() throws IOException {
    Files.createDirectories(inbox());
    Files.createDirectories(attempts());
  }

  /** Reads what the journal tells, after it has reached the disk. */
  public QueueState read() throws IOException, UserMistakeException {
    return fold(Journal.read(journal()));
  }

  QueueState fold(Journal.Content content) throws UserMistakeException {
    var state = new QueueState();
    int line = 0;
    for (QueueEvent event : content.events()) {
      line++;
      try {
        state.apply(event);
      } catch (IllegalArgumentException e) {
        throw new UserMistakeException(
            journal() + ":" + line,
            "the journal contradicts itself here (" + e.getMessage() + ")",
            "lines were removed; a copy from before can be put back",
            e);
      }
    }
    return state;
  }

  /** Hands requests over to the scheduler that runs, or to the next one. */
  public Path hand(List<Request> requests) throws IOException {
    make();
    String name =
        "%013d-%d-%d"
            .formatted(
                MachineClock.epochMs(), ProcessHandle.current().pid(), HANDED.incrementAndGet());
    Path unfinished = folder.resolve(name);
    Files.writeString(
        unfinished, requests.stream().map(Request::line).collect(Collectors.joining()));
    return Files.move(unfinished, inbox().resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Files of requests that nobody took yet, in the order in which they were handed over. */
  List<Path> requests() throws IOException {
    try (Stream<Path> files = Files.list(inbox())) {
      return files.sorted().toList();
    }
  }

  /** Becomes the queue's scheduler; empty: another process is. */
  public Optional<HeldQueue> hold() throws IOException, UserMistakeException, InterruptedException {
    return hold(content -> new Journal(journal(), content));
  }

  Optional<HeldQueue> hold(HeldQueue.Opener opener)
      throws IOException, UserMistakeException, InterruptedException {
    make();
    if (!HELD_HERE.add(folder)) {
      return Optional.empty();
    }
    FileChannel lock =
        FileChannel.open(lockFile(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
      if (lock.tryLock() != null) {
        return Optional.of(new HeldQueue(this, lock, opener));
      }
      MachineClock.pacer().awaitNs(MachineClock.monotonicNs() + LOCK_PAUSE_NS);
    }
    free(lock);
    return Optional.empty();
  }

  /** Gives up what {@link #hold} took. */
  void free(FileChannel lock) throws IOException {
    lock.close();
    HELD_HERE.remove(folder);
  }

  void writeHolder() throws IOException {
    Path unfinished = folder.resolve("scheduler.unfinished");
    Files.writeString(unfinished, ProcessIdentity.ofThis() + "\n" + MachineClock.now() + "\n");
    Files.move(unfinished, holderFile(), StandardCopyOption.ATOMIC_MOVE);
  }

  /** The scheduler that runs; empty: none. */
  public Optional<Holder> holder() throws IOException {
    if (!isHeld()) {
      return Optional.empty(); // its process may live on, as that of a test does
    }
    List<String> lines;
    try {
      lines = Files.readAllLines(holderFile());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    String boot = ProcessIdentity.presentBoot();
    return ProcessIdentity.parse(lines.get(0))
        .filter(process -> process.isAlive(boot))
        .map(process -> new Holder(process, Instant.parse(lines.get(1))));
  }

  public boolean isHeld() throws IOException {
    if (HELD_HERE.contains(folder) || !Files.exists(lockFile())) {
      return HELD_HERE.contains(folder);
    }
    try (FileChannel channel = FileChannel.open(lockFile(), StandardOpenOption.READ)) {
      return channel.tryLock(0, Long.MAX_VALUE, true) == null;
    }
  }

  /** Returns when no scheduler runs. */
  public void awaitFree() throws IOException {
    if (Files.exists(lockFile())) {
      try (FileChannel channel = FileChannel.open(lockFile(), StandardOpenOption.READ)) {
        channel.lock(0, Long.MAX_VALUE, true).release();
      }
    }
  }

  /** The files of an attempt that is the last of a task. */
  Attempt attempt(TaskState task) {
    return new Attempt(attempts(), task.number, task.attempt());
  }
}
