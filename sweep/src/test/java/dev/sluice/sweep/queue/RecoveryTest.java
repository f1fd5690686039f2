package dev.sluice.sweep.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.machine.Posix;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.harness.process.ProcessIdentity;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a scheduler makes of what another left behind, step by step between its lines. */
@Tag("loop")
@Timeout(600)
final class RecoveryTest {
  @TempDir private Path folder;
  private QueueFolder queue;
  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();

  @BeforeEach
  void makeFolders() throws Exception {
    queue = new QueueFolder(folder.resolve("queue"));
    queue.make();
  }

  @AfterEach
  void endAll() throws Exception {
    QueueProcesses.end(() -> QueueProcesses.ofQueue(queue, List.of()), Duration.ZERO);
  }

  private void hand(String... shells) throws IOException {
    List<Request> entries = new ArrayList<>();
    for (String shell : shells) {
      entries.add(new Request("t" + entries.size(), shell, null, false));
    }
    queue.hand(entries);
  }

  private Scheduler scheduler() {
    return new Scheduler(
        queue,
        QueueSettings.slots(1, false),
        new ShellWork(folder, null),
        Sessions.plain(),
        log::add);
  }

  private FutureTask<End> begin(Scheduler scheduler, HeldQueue.Opener opener) {
    var end =
        new FutureTask<>(
            () -> {
              try (HeldQueue held = queue.hold(opener).orElseThrow()) {
                return scheduler.run(held);
              }
            });
    new Thread(end, "scheduler").start();
    return end;
  }

  private Path pipe(String name) throws Exception {
    Path pipe = folder.resolve(name);
    Posix.makeFifo(pipe);
    return pipe;
  }

  private void awaitLog(String words) throws InterruptedException {
    while (!log.take().contains(words)) {
      // the next line may be it
    }
  }

  /** Writes the journal of a scheduler that died right after the line of a start. */
  private void beganAttempt(String boot) throws Exception {
    try (var journal = new Journal(queue.journal(), Journal.read(queue.journal()))) {
      journal.append(
          List.of(
              new QueueEvent.Queued(0, "t0", "echo $1 >>ran", null, 0),
              new QueueEvent.Started(0, 1, QueueState.NO_GPU, "", "", boot, 0)));
    }
  }

  private TaskState only() throws Exception {
    return queue.read().tasks().iterator().next();
  }

  @Test
  void afterAReboot_aStartWithoutAClaim_mayHaveRun_andHasFailed() throws Exception {
    beganAttempt("00000000-0000-0000-0000-000000000000");
    assertThat(scheduler().run()).isEqualTo(End.ALL_ENDED);
    assertThat(folder.resolve("ran")).doesNotExist();
    assertThat(only().phase()).isEqualTo(Phase.FAILED);
    assertThat(only().ended().why()).isEqualTo("gone without a trace");
  }

  @Test
  void whoClaimedByHalf_ranNothing_andTheTaskRuns() throws Exception {
    beganAttempt(ProcessIdentity.presentBoot());
    Files.writeString(queue.attempts().resolve("0.1.claim"), "12");
    assertThat(scheduler().run()).isEqualTo(End.ALL_ENDED);
    assertThat(folder.resolve("ran")).hasContent("t0");
    assertThat(only().attempt()).isEqualTo(2);
  }

  @Test
  void filesOfAnAttempt_thatTheJournalLost_areNotTakenForTheNextOne() throws Exception {
    hand("echo $1 >>ran; exit 3");
    for (String file : List.of("0.1.fifo", "0.1.claim", "0.1.order", "0.1.exit")) {
      Files.writeString(queue.attempts().resolve(file), "0\n");
    }
    assertThat(scheduler().run()).isEqualTo(End.ALL_ENDED);
    assertThat(folder.resolve("ran")).hasContent("t0");
    assertThat(only().ended().status()).isEqualTo(3);
  }

  @Test
  void aStatusWithoutItsLineBreak_isNone() throws Exception {
    var attempt = new Attempt(queue.attempts(), 0, 1);
    assertThat(attempt.status()).isEmpty();
    for (String torn : List.of("", "1", "12")) {
      Files.writeString(queue.attempts().resolve("0.1.exit"), torn);
      assertThat(attempt.status()).as(torn).isEmpty();
    }
    Files.writeString(queue.attempts().resolve("0.1.exit"), "127\n");
    assertThat(attempt.status()).hasValue(127);
  }

  @Test
  void anEndThatAFullDiskTook_isFoundAgain_andNotRunAgain() throws Exception {
    Path news = pipe("news");
    Path go = pipe("go");
    hand("echo $1 >>ran; echo begun >news; read line <go; exit 5");
    var journal = new SmallJournal[1];
    var scheduler = scheduler();
    var end = begin(scheduler, content -> journal[0] = new SmallJournal(queue.journal(), content));
    assertThat(Files.readString(news)).isNotEmpty();
    journal[0].left = 3;
    Files.writeString(go, "go\n", StandardOpenOption.WRITE);
    awaitLog("No space left");
    scheduler.stop();
    assertThat(end.get()).isEqualTo(End.STOPPED);
    assertThat(only().phase()).isEqualTo(Phase.RUNNING);
    assertThat(scheduler().run()).isEqualTo(End.ALL_ENDED);
    assertThat(folder.resolve("ran")).hasContent("t0");
    assertThat(only().ended().status()).isEqualTo(5);
  }

  /** A journal whose syncs wait from some time on. */
  private static final class SlowJournal extends Journal {
    final CountDownLatch held = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);

    SlowJournal(Path file, Content content) throws IOException {
      super(file, content);
    }

    @Override
    void sync() throws IOException {
      if (held.getCount() == 0) {
        try {
          go.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      super.sync();
    }
  }

  @Test
  void nobodyHearsOfAnEnd_beforeItIsOnTheDisk_butTheSlotIsFilled() throws Exception {
    Path news = pipe("news");
    Path go = pipe("go");
    hand("echo begun >news; read line <go", "echo next >news");
    var journal = new SlowJournal[1];
    var end = begin(scheduler(), content -> journal[0] = new SlowJournal(queue.journal(), content));
    assertThat(Files.readString(news)).isEqualTo("begun\n");
    journal[0].held.countDown();
    Files.writeString(go, "go\n", StandardOpenOption.WRITE);
    assertThat(Files.readString(news)).isEqualTo("next\n");
    assertThat(log).noneMatch(line -> line.contains("(t0)"));
    journal[0].go.countDown();
    assertThat(end.get()).isEqualTo(End.ALL_ENDED);
    assertThat(log).anyMatch(line -> line.contains("(t0) is done"));
  }

  private Process process() throws IOException {
    return Launch.of(
            ChildJvm.of(
                List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                QueueProcess.class.getName(),
                List.of(folder.toString(), "1")))
        .output(Redirect.appendTo(folder.resolve("process.log").toFile()))
        .errorsToOutput()
        .start();
  }

  /** What a task prints does not pass the scheduler. */
  @Test
  @Tag("slow")
  @Timeout(300)
  void aTaskThatPrintsAGigabyte_costsTheSchedulerNoMemory() throws Exception {
    hand("yes 'a line of log' | head -c 1000000000; echo; echo last words");
    Process process = process();
    long mostBytes = 0;
    while (!process.waitFor(20, TimeUnit.MILLISECONDS)) {
      mostBytes = Math.max(mostBytes, MemoryOf.residentBytes(process.pid()).orElse(0));
    }
    assertThat(process.exitValue()).isZero();
    assertThat(Files.size(folder.resolve("t0.log"))).isGreaterThan(1_000_000_000L);
    assertThat(mostBytes).isBetween(1_000_000L, 150_000_000L);
  }
}
