package dev.sluice.harness.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExplainRunTest {
  @TempDir private Path folder;

  @Test
  void show() throws Exception {
    HandmadeLog log = new HandmadeLog(folder).executor(0, "e", 1, 2, 200).started();
    log.job(10, "j1", "batch", "resnet18", 2) // waits for its window, 88 tokens
        .tick(20)
        .job(21, "j2", "interactive", "resnet18", 1) // e/1, 84: 28 are free
        .job(30, "j3", "batch", "resnet50", 2) // 168 needed
        .job(31, "j4", "batch", "resnet50", 1)
        .job(32, "j5", "batch", "resnet50", 1)
        .job(35, "j6", "interactive", "vit_tiny", 1)
        .done(0, 44, 20.5, 21.25, 0);
    show(log, "j3", "j1", "j6");
    log.done(1, 60, 21.5, 38.25, 0).done(2, 66, 44.5, 21, 0);
    show(log, "j3");
    for (int i = 3; i < log.dispatches.size(); i++) System.out.println(log.dispatches.get(i));
  }

  private void show(HandmadeLog log, String... ids) throws Exception {
    for (String id : ids) {
      System.out.println(String.join("\n", log.explained(id)));
    }
  }
}
