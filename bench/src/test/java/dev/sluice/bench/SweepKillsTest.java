package dev.sluice.bench;

import static dev.sluice.bench.TaskNews.BEGIN;
import static dev.sluice.bench.TaskNews.END;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A queue whose scheduler is killed (SIGKILL) again and again at seeded moments, and started again
 * each time. No task is lost, runs twice at once, or runs again after it was done. One kill in five
 * comes while the scheduler starts, the others after a number of tasks has begun.
 */
final class SweepKillsTest {
  private static final int SLOTS = 8;
  private static final int TASKS = 5_000;
  private static final int KILLS = 100;
  private static final long SEED = 42;

  /** Bound of the tasks that begin between a start and a kill. */
  private static final int TASKS_SPAN = 50;

  /** Bound of the time from a start to a kill that comes early. */
  private static final int START_MS_SPAN = 700;

  /** Bound of the time that is waited beside a number of tasks. */
  private static final int MORE_MS_SPAN = 6;

  private static final long LOOK_MS = 100;

  @TempDir private Path folder;

  /** Tasks that should not be. */
  private record Faults(long lost, int doubled, int afterDone) {
    /**
     * Counts them.
     *
     * @param ran what the tasks wrote, in order: a word of begin or end, a space, the config
     */
    static Faults of(int tasks, List<String> ran, Collection<TaskState> states) {
      Map<String, Integer> begins = new HashMap<>();
      Map<String, Integer> ends = new HashMap<>();
      int doubled = 0;
      int afterDone = 0;
      for (String line : ran) {
        String config = line.substring(2);
        if (line.charAt(0) == END) {
          ends.merge(config, 1, Integer::sum);
        } else if (begins.merge(config, 1, Integer::sum) > 1) {
          if (ends.containsKey(config)) {
            afterDone++;
          } else {
            doubled++;
          }
        }
      }
      long done =
          states.stream()
              .filter(task -> task.phase() == Phase.DONE && ends.containsKey(task.config()))
              .count();
      return new Faults(tasks - done, doubled, afterDone);
    }
  }

  @Test
  void countsATaskThatRanTwice_byWhetherItWasDone_andOneThatIsNotThere() {
    List<String> ran = List.of("b x", "b y", "b y", "e x", "b x", "e x", "e y");

    assertThat(Faults.of(1, ran, List.of())).isEqualTo(new Faults(1, 1, 1));
  }

  @Tag("slow")
  @Timeout(900)
  @Test
  void losesNothingAndDoublesNothing_whenItsSchedulerIsKilled() throws Exception {
    var workspace = new BenchWorkspace(folder, SLOTS);
    Path ran = workspace.file("ran");
    Process scheduler = null;
    try (var news = new TaskNews(workspace.file("news"))) {
      String says = "echo \"%c $2\" >>" + BenchWorkspace.quoted(ran) + "\n";
      workspace.runs(says.formatted(BEGIN) + news.says(BEGIN) + says.formatted(END));
      workspace.hand(TASKS);
      scheduler = workspace.scheduler();
      var random = new Random(SEED);
      for (int kill = 0; kill < KILLS; kill++) {
        awaitMoment(scheduler, news, random);
        assertThat(scheduler.isAlive()).as("the scheduler after %d kills", kill).isTrue();
        scheduler.destroyForcibly().waitFor();
        scheduler = workspace.scheduler();
      }
      int unused = scheduler.waitFor();
    } finally {
      if (scheduler != null) {
        scheduler.destroyForcibly().waitFor();
      }
    }

    assertThat(Faults.of(TASKS, Files.readAllLines(ran), workspace.state().tasks()))
        .isEqualTo(new Faults(0, 0, 0));
  }

  private static void awaitMoment(Process scheduler, TaskNews news, Random random)
      throws InterruptedException {
    if (random.nextInt(5) == 0) {
      boolean unused = scheduler.waitFor(random.nextInt(START_MS_SPAN), TimeUnit.MILLISECONDS);
      return;
    }
    int target = news.count(BEGIN) + random.nextInt(TASKS_SPAN);
    boolean waits = true;
    while (waits) {
      waits = !news.await(BEGIN, target, LOOK_MS) && scheduler.isAlive();
    }
    boolean unused = scheduler.waitFor(random.nextInt(MORE_MS_SPAN), TimeUnit.MILLISECONDS);
  }
}
