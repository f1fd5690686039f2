package dev.sluice.sweep.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Posix;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.ProcessIdentity;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.Scheduler.End;
import dev.sluice.sweep.queue.Scheduler.Sessions;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Queues whose scheduler dies, whose files are damaged, and whose tasks are ended. */
@Tag("loop")
@Timeout(600)
final class KilledSchedulerTest {
  @TempDir private Path folder;
  private QueueFolder queue;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void makeFolders() {
    queue = new QueueFolder(folder.resolve("queue"));
  }

  @AfterEach
  void endAll() throws Exception {
    started.forEach(Process::destroyForcibly);
    QueueProcesses.end(() -> QueueProcesses.ofQueue(queue, List.of()), Duration.ZERO);
  }

  private void hand(String... shells) throws IOException {
    List<Request> entries = new ArrayList<>();
    for (String shell : shells) {
      entries.add(new Request("t" + entries.size(), shell, null, false));
    }
    queue.hand(entries);
  }

  private Process process(int slots) throws IOException {
    Process process =
        Launch.of(
                ChildJvm.of(
                    List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                    QueueProcess.class.getName(),
                    List.of(folder.toString(), Integer.toString(slots))))
            .output(Redirect.appendTo(folder.resolve("process.log").toFile()))
            .errorsToOutput()
            .start();
    started.add(process);
    return process;
  }

  private Scheduler scheduler(int slots) {
    return new Scheduler(
        queue,
        QueueSettings.slots(slots, false),
        new ShellWork(folder, null),
        Sessions.plain(),
        l -> {});
  }

  /** Runs a scheduler until a task's shell has opened a named pipe to say something. */
  private void killAfterNews(Path pipe) throws Exception {
    Process process = process(4);
    assertThat(Files.readString(pipe)).as("news of a task").isNotEmpty();
    process.destroyForcibly().waitFor();
  }

  private Path pipe(String name) throws Exception {
    Path pipe = folder.resolve(name);
    Posix.makeFifo(pipe);
    return pipe;
  }

  @Test
  void noTaskIsLostOrDoubled_whenTheSchedulerIsKilledAgainAndAgain() throws Exception {
    boolean full = "full".equals(System.getProperty("sluice.tries"));
    int tasks = full ? 200 : 80;
    int killsMax = full ? 10 : 4;
    hand(
        IntStream.range(0, tasks)
            .mapToObj(i -> "echo $1 >>ran; sleep 0.0" + i % 10)
            .toArray(String[]::new));
    long seed = new Random().nextLong();
    var random = new Random(seed);
    int kills = 0;
    boolean ended = false;
    while (!ended) {
      Process process = process(8);
      long ms = 400 + random.nextInt(900);
      ended = process.waitFor(kills < killsMax ? ms : 120_000, TimeUnit.MILLISECONDS);
      if (!ended) {
        kills++;
        process.destroyForcibly().waitFor();
      } else {
        assertThat(process.exitValue()).as("seed " + seed).isZero();
      }
    }
    assertThat(Files.readAllLines(folder.resolve("ran")))
        .as(kills + " kills, seed " + seed)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, tasks).mapToObj(i -> "t" + i).toList());
    assertThat(queue.read().tasks())
        .as(kills + " kills, seed " + seed)
        .hasSize(tasks)
        .allMatch(task -> task.phase() == Phase.DONE);
  }

  @Test
  void whatRuns_isFoundAgain_andItsStatusKnown() throws Exception {
    Path news = pipe("news");
    Path go = pipe("go");
    hand("echo begun >news; read line <go; exit 6", "true");
    killAfterNews(news);
    var end = new FutureTask<>(() -> scheduler(4).run());
    new Thread(end, "scheduler").start();
    Files.writeString(go, "go\n", StandardOpenOption.WRITE);
    assertThat(end.get()).isEqualTo(End.ALL_ENDED);
    TaskState task = queue.read().task("t0");
    assertThat(task.ended().status()).isEqualTo(6);
    assertThat(task.attempt()).isEqualTo(1);
  }

  @Test
  void whatEndedMeanwhile_isTakenFromItsFile() throws Exception {
    Path news = pipe("news");
    hand("echo begun >news; exit 6");
    killAfterNews(news);
    assertThat(scheduler(1).run()).isEqualTo(End.ALL_ENDED);
    assertThat(queue.read().task("t0").ended().status()).isEqualTo(6);
  }

  @Test
  void afterAReboot_whatRanIsGone_andIsNotWaitedFor() throws Exception {
    Path news = pipe("news");
    Path go = pipe("go");
    hand("echo begun >news; read line <go");
    killAfterNews(news);
    QueueProcesses.end(() -> QueueProcesses.ofQueue(queue, List.of()), Duration.ZERO);
    // A reboot ends the keeper too, whereas this one may have seen its task end.
    Files.deleteIfExists(queue.attempts().resolve("0.1.exit"));
    Path claim = queue.attempts().resolve("0.1.claim");
    String own = Files.readString(claim);
    // this very process has that pid now, in another boot
    Files.writeString(
        claim,
        ProcessHandle.current().pid()
            + " "
            + own.split(" ")[1]
            + " 00000000-0000-0000-0000-000000000000\n");
    assertThat(scheduler(1).run()).isEqualTo(End.ALL_ENDED);
    assertThat(queue.read().task("t0").ended().why()).isEqualTo("gone without a trace");
    assertThat(go).exists();
  }

  @Test
  void aStartWithoutAClaim_isTakenBack_soThatALateKeeperGivesUp() throws Exception {
    hand("echo $1 >>ran");
    queue.make();
    try (var journal = new Journal(queue.journal(), Journal.read(queue.journal()))) {
      journal.append(
          List.of(
              new QueueEvent.Queued(0, "t0", "echo $1 >>ran", null, 0),
              new QueueEvent.Started(
                  0, 1, QueueState.NO_GPU, "", "", ProcessIdentity.presentBoot(), 0)));
    }
    assertThat(scheduler(1).run()).isEqualTo(End.ALL_ENDED);
    assertThat(folder.resolve("ran")).hasContent("t0");
    assertThat(queue.read().task("t0").attempt()).isEqualTo(2);
    assertThat(new Attempt(queue.attempts(), 0, 1).claim()).isEqualTo(Attempt.Claim.WITHDRAWN);
  }

  @Test
  void aSecondScheduler_isRefused_andToldWhoRuns() throws Exception {
    Path news = pipe("news");
    Path go = pipe("go");
    hand("echo begun >news; read line <go");
    Process first = process(1);
    assertThat(Files.readString(news)).isNotEmpty();
    assertThatThrownBy(() -> scheduler(1).run())
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("pid " + first.pid());
    Files.writeString(go, "go\n", StandardOpenOption.WRITE);
    assertThat(first.waitFor()).isZero();
  }

  @Test
  void aDamagedMiddle_startsNothing() throws Exception {
    queue.make();
    Files.writeString(queue.journal(), "damage\nmore\n");
    hand("touch ran");
    assertThatThrownBy(() -> scheduler(1).run())
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("journal:1: error: the journal is damaged here");
    assertThat(folder.resolve("ran")).doesNotExist();
  }

  @Test
  void killAll_endsSessions_alsoWhatLeftThem_andLeavesAnotherQueueAlone() throws Exception {
    Path news = pipe("news");
    Path other = pipe("other");
    Path go = pipe("go");
    var second = new QueueFolder(folder.resolve("second"));
    second.hand(List.of(new Request("b", "echo b >other; read line <go", null, false)));
    var end =
        new FutureTask<>(
            () ->
                new Scheduler(
                        second,
                        QueueSettings.slots(1, false),
                        new ShellWork(folder, null),
                        Sessions.plain(),
                        l -> {})
                    .run());
    new Thread(end, "second").start();
    assertThat(Files.readString(other)).isNotEmpty();
    Path beside = pipe("beside");
    hand(
        "setsid sleep 1000 & echo begun >news; read line <nothing; sleep 1000",
        "echo begun >beside; sleep 1000",
        "w");
    Process process = process(2);
    assertThat(Files.readString(news)).isNotEmpty();
    assertThat(Files.readString(beside)).isNotEmpty();
    QueueProcesses.Ends ends = QueueProcesses.killAll(queue);
    assertThat(ends.tasks()).isEqualTo(2);
    assertThat(ends.waiting()).isEqualTo(1);
    assertThat(process.waitFor()).isNotZero();
    assertThat(QueueProcesses.ofQueue(queue, List.of())).isEmpty();
    assertThat(queue.read().tasks()).allMatch(task -> task.ended().outcome() == Outcome.KILLED);
    Files.writeString(go, "go\n", StandardOpenOption.WRITE);
    assertThat(end.get()).isEqualTo(End.ALL_ENDED);
    assertThat(second.read().task("b").phase()).isEqualTo(Phase.DONE);
  }

  @Test
  void onAFullDisk_nothingStarts_whatRunsIsKept_andItGoesOnWithRoom() throws Exception {
    Path news = pipe("news");
    Path go = pipe("go");
    hand("echo begun >news; read line <go; exit 5", "touch second");
    var journal = new SmallJournal[1];
    var full = new CountDownLatch(1);
    var scheduler =
        new Scheduler(
            queue,
            QueueSettings.slots(1, false),
            new ShellWork(folder, null),
            Sessions.plain(),
            line -> {
              if (line.contains("No space left")) {
                full.countDown();
              }
            });
    var end =
        new FutureTask<>(
            () -> {
              try (HeldQueue held =
                  queue
                      .hold(content -> journal[0] = new SmallJournal(queue.journal(), content))
                      .orElseThrow()) {
                return scheduler.run(held);
              }
            });
    new Thread(end, "scheduler").start();
    assertThat(Files.readString(news)).isNotEmpty();
    journal[0].left = 3;
    Files.writeString(go, "go\n", StandardOpenOption.WRITE);
    full.await();
    assertThat(folder.resolve("second")).doesNotExist();
    journal[0].left = Long.MAX_VALUE;
    assertThat(end.get()).isEqualTo(End.ALL_ENDED);
    assertThat(folder.resolve("second")).exists();
    assertThat(queue.read().task("t0").ended().status()).isEqualTo(5);
  }
}
