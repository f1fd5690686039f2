package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.process.Launch;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words of shells in a named pipe. */
final class TaskNewsTest {
  @TempDir private Path folder;

  @Test
  void aShellsWords_haveTimes_inTheirOrder() throws Exception {
    try (var news = new TaskNews(folder.resolve("it's a pipe"))) {
      String script = news.says(TaskNews.BEGIN) + news.says(TaskNews.END);
      assertThat(Launch.of("/bin/sh", "-c", script + script).status()).isZero();
      assertThat(news.await(TaskNews.END, 2, 20_000)).isTrue();
      long[] begins = news.atNs(TaskNews.BEGIN);
      long[] ends = news.atNs(TaskNews.END);
      assertThat(begins).hasSize(2).isSorted();
      assertThat(ends).hasSize(2).isSorted();
      assertThat(begins[0]).isLessThanOrEqualTo(ends[0]);
      assertThat(news.await(TaskNews.END, 3, 1)).isFalse();
    }
  }
}
