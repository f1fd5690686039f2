package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tasks that run at once, on real threads. */
final class SideBySideTest {
  private final List<Integer> done = new CopyOnWriteArrayList<>();

  @Test
  void runsEachTaskOnce() throws Exception {
    var tasks = new ArrayList<LoadedModels.Loading>();
    for (int i = 0; i < 20; i++) {
      int task = i;
      tasks.add(() -> done.add(task));
    }
    LoadedModels.sideBySide(tasks);

    assertThat(done).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void throwsTheFirstTasksMistake_whicheverCameFirst_andBeginsNoOther() {
    var secondHasFailed = new CountDownLatch(1);
    LoadedModels.Loading first =
        () -> {
          if (Runtime.getRuntime().availableProcessors() > 1) {
            awaitUninterruptibly(secondHasFailed);
          }
          throw mistake("first");
        };
    LoadedModels.Loading second =
        () -> {
          secondHasFailed.countDown();
          throw mistake("second");
        };

    assertThatThrownBy(() -> LoadedModels.sideBySide(List.of(first, second, () -> done.add(3))))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("first");
    assertThat(done).isEmpty();
  }

  @Test
  void waitsForItsTasksAndStaysInterrupted_whenItsThreadIsInterrupted() throws Exception {
    Thread.currentThread().interrupt();
    LoadedModels.sideBySide(List.of(() -> done.add(1), () -> done.add(2)));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(done).containsExactlyInAnyOrder(1, 2);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static UserMistakeException mistake(String what) {
    return new UserMistakeException(what, "it is damaged", "copy it again");
  }
}
