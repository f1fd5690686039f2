package dev.sluice.sweep.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.harness.process.Launch;
import dev.sluice.sweep.queue.Scheduler.End;
import dev.sluice.sweep.queue.Scheduler.Sessions;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The scheduler with real processes. */
@Tag("loop")
@Timeout(600)
final class SchedulerTest {
  @TempDir private Path folder;
  private QueueFolder queue;
  private Path markers;
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void makeFolders() throws Exception {
    queue = new QueueFolder(folder.resolve("queue"));
    markers = Files.createDirectory(folder.resolve("out"));
  }

  private static QueueSettings gpus(int retries, boolean requireMarker, Integer... ids) {
    return new QueueSettings(
        List.of(ids), 1, retries, 3, requireMarker, false, Duration.ofSeconds(30));
  }

  private static Request task(String name, String shell) {
    return new Request(name, shell, null, false);
  }

  private Scheduler scheduler(QueueSettings settings) {
    return new Scheduler(
        queue, settings, new ShellWork(folder, markers), Sessions.plain(), log::add);
  }

  private End run(QueueSettings settings, Request... entries) throws Exception {
    queue.hand(List.of(entries));
    return scheduler(settings).run();
  }

  private TaskState task(String name) throws Exception {
    TaskState task = queue.read().task(name);
    assertThat(task).as(name).isNotNull();
    return task;
  }

  @Test
  void runsEachTaskOnce_onItsGpu() throws Exception {
    Request[] entries =
        IntStream.range(0, 40)
            .mapToObj(i -> new Request("t" + i, "echo $1 $GPU >>ran", i % 2, false))
            .toArray(Request[]::new);
    assertThat(run(gpus(0, false, 0, 1), entries)).isEqualTo(End.ALL_ENDED);
    assertThat(Files.readAllLines(folder.resolve("ran")))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 40).mapToObj(i -> "t" + i + " " + i % 2).toList());
    assertThat(queue.read().tasks())
        .extracting(TaskState::phase, task -> task.ended().why())
        .containsOnly(tuple(Phase.DONE, "no marker"));
  }

  @Test
  void stampsTheLog_aroundTheOutput() throws Exception {
    run(gpus(0, false, 0), task("a", "echo out; echo err >&2; exit 3"));
    List<String> lines = Files.readAllLines(folder.resolve("a.log"));
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).startsWith("== start ").contains("task (a), attempt 1, GPU 0");
    assertThat(lines.subList(1, 3)).containsExactly("out", "err");
    assertThat(lines.get(3)).startsWith("== end ").contains("exit status 3");
  }

  @Test
  void namesPassNoShell_unquoted() throws Exception {
    String name = "-n 'a' \"b\" $(touch x)\n`touch y`";
    run(gpus(0, false, 0), task(name, "printf %s \"$1\" >name; touch \"$PWD\"/ok"));
    assertThat(folder.resolve("name")).hasContent(name);
    assertThat(task(name).phase()).isEqualTo(Phase.DONE);
    assertThat(folder.resolve("x")).doesNotExist();
    assertThat(folder.resolve("y")).doesNotExist();
  }

  @Test
  void whatFails_waitsAgainBehindTheOthers_whileRetriesAreLeft() throws Exception {
    run(
        gpus(2, false, 0),
        task("bad", "echo bad >>order; exit 7"),
        task("good", "echo good >>order"));
    assertThat(Files.readAllLines(folder.resolve("order")))
        .containsExactly("bad", "good", "bad", "bad");
    assertThat(task("bad").phase()).isEqualTo(Phase.FAILED);
    assertThat(task("bad").ended().why()).isEqualTo("exit status 7");
    assertThat(task("bad").attempt()).isEqualTo(3);
  }

  @Test
  void aMarkerDecides_whateverTheStatus() throws Exception {
    Files.createFile(markers.resolve("before_completed.txt"));
    run(
        gpus(0, true, 0),
        task("before", "touch ran-before"),
        task("odd", "touch out/odd_completed.txt; exit 4"),
        task("none", "true"));
    assertThat(folder.resolve("ran-before")).doesNotExist();
    assertThat(task("before").ended().outcome()).isEqualTo(QueueEvent.Outcome.DONE_BEFORE);
    assertThat(task("odd").phase()).isEqualTo(Phase.DONE);
    assertThat(task("odd").ended().why()).isEqualTo("marker is there, exit status 4");
    assertThat(task("none").phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  void aBadGpuIsSetAside_andTheOtherTakesTheRest() throws Exception {
    Request[] entries =
        IntStream.range(0, 12)
            .mapToObj(i -> task("t" + i, "[ $GPU = 1 ] || exit 1"))
            .toArray(Request[]::new);
    assertThat(run(gpus(1, false, 0, 1), entries)).isEqualTo(End.ALL_ENDED);
    QueueState state = queue.read();
    assertThat(state.aside()).containsExactly(0);
    assertThat(state.tasks()).allMatch(task -> task.phase() == Phase.DONE);
  }

  @Test
  void whatIsBoundToABadGpu_isLeftWaiting() throws Exception {
    Request[] entries =
        IntStream.range(0, 5)
            .mapToObj(i -> new Request("t" + i, "exit 1", 0, false))
            .toArray(Request[]::new);
    assertThat(run(gpus(0, false, 0, 1), entries)).isEqualTo(End.STUCK);
    assertThat(queue.read().waiting()).extracting(TaskState::name).containsExactly("t3", "t4");
    assertThat(scheduler(gpus(0, false, 0, 1)).run()).isEqualTo(End.STUCK);
    assertThat(run(gpus(0, false, 0, 1), task("more", "true"))).isEqualTo(End.ALL_ENDED);
  }

  @Test
  void whatKillsItsKeeper_holdsItsSlot_andHasFailedAtItsEnd() throws Exception {
    run(
        gpus(0, false, 0),
        task("killer", "kill -9 $PPID; sleep 0.3; echo killer >>order"),
        task("marked", "kill -9 $PPID; touch out/marked_completed.txt"),
        task("next", "echo next >>order"));
    assertThat(Files.readAllLines(folder.resolve("order"))).containsExactly("killer", "next");
    assertThat(task("killer").phase()).isEqualTo(Phase.FAILED);
    assertThat(task("killer").ended().why()).isEqualTo("gone without a trace");
    assertThat(task("marked").phase()).isEqualTo(Phase.DONE);
  }

  @Test
  void whatATaskLeavesRunning_isNamed_andEndedWithCleanup() throws Exception {
    var cleanup = new QueueSettings(List.of(), 1, 0, 3, false, true, Duration.ofSeconds(30));
    run(cleanup, task("parent", "sleep 1000 & true"));
    assertThat(log)
        .anyMatch(line -> line.contains("left processes running") && line.contains("sleep 1000"));
    assertThat(Files.readString(folder.resolve("parent.log"))).contains("sleep 1000");
  }

  @Test
  void whatLeavesItsSession_isNamedAllTheSame() throws Exception {
    var cleanup = new QueueSettings(List.of(), 1, 0, 3, false, true, Duration.ofSeconds(30));
    run(cleanup, task("parent", "setsid sleep 1001 </dev/null >/dev/null 2>&1 & true"));
    assertThat(log)
        .anyMatch(line -> line.contains("left processes running") && line.contains("sleep 1001"));
    assertThat(QueueProcesses.ofQueue(queue, List.of())).isEmpty();
  }

  @Test
  void whatWaits_isDone_asSoonAsItsMarkerComes() throws Exception {
    run(
        gpus(0, false, 0),
        task("first", "touch out/second_completed.txt; sleep 0.3"),
        task("second", "touch ran-second"));
    assertThat(folder.resolve("ran-second")).doesNotExist();
    assertThat(task("second").ended().outcome()).isEqualTo(QueueEvent.Outcome.DONE_BEFORE);
    assertThat(log).anyMatch(line -> line.contains("(second) is done before"));
  }

  @Test
  void whatIgnoresSigterm_takesSigkill() throws Exception {
    Process deaf =
        Launch.of("/bin/sh", "-c", "trap '' TERM; echo deaf; while :; do read x; done").start();
    assertThat(deaf.getInputStream().read()).isPositive(); // the signal is ignored by now
    int killed =
        QueueProcesses.end(
            () -> deaf.isAlive() ? List.of(deaf.pid()) : List.of(), Duration.ofMillis(200));
    assertThat(killed).isEqualTo(1);
    assertThat(deaf.waitFor()).isEqualTo(128 + 9);
  }
}
