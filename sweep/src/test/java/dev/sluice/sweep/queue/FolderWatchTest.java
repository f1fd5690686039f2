package dev.sluice.sweep.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Watches of real folders. */
@Timeout(600)
final class FolderWatchTest {
  @TempDir private Path folder;

  @Test
  void tellsWhatCame() throws Exception {
    var told = new LinkedBlockingQueue<List<Path>>();
    try (var watch = FolderWatch.of(List.of(folder), told::add)) {
      Path file = Files.createFile(folder.resolve("a"));
      assertThat(told.take()).containsExactly(file);
    }
  }

  /** The listener holds the watch up until more has come than a system keeps for it. */
  @Test
  @Tag("slow")
  void tellsThatMoreCame_thanItCouldTell() throws Exception {
    var told = new LinkedBlockingQueue<List<Path>>();
    var go = new CountDownLatch(1);
    FolderWatch.Listener listener =
        files -> {
          try {
            go.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          told.add(files);
        };
    try (var watch = FolderWatch.of(List.of(folder), listener)) {
      for (int i = 0; i < 20_000; i++) {
        Files.createFile(folder.resolve("f" + i));
      }
      go.countDown();
      List<Path> files = told.take();
      while (!files.isEmpty()) {
        files = told.take();
      }
      assertThat(files).isEmpty(); // all is to be read again
    }
  }
}
