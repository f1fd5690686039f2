package dev.sluice.layers.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A training's process killed by SIGKILL at seeded moments, against one that nobody killed. */
@Tag("loop")
final class KilledTrainingTest {
  /** Kills of one training, before it is let end. */
  private static final int KILLS_OF_ONE = 3;

  /** Most lines that a child prints before it is killed: somewhat more than two steps. */
  private static final int LINES_MAX = 160;

  @TempDir private Path folder;

  @Test
  void endsWithTheBytesOfOneThatNobodyKilled() throws Exception {
    assertEqualBytes(KILLS_OF_ONE);
  }

  @Tag("slow")
  @Test
  void endsWithTheBytesOfOneThatNobodyKilled_afterFiftyKills() throws Exception {
    assertEqualBytes(50);
  }

  private void assertEqualBytes(int kills) throws Exception {
    Path whole = folder.resolve("whole");
    assertThat(run(whole, Integer.MAX_VALUE)).isFalse();
    Map<String, ByteBuffer> expected = files(whole);
    assertThat(expected).containsKeys("head-6.safetensors", "losses.csv", "manifest.json");

    var random = new Random(7);
    int killed = 0;
    for (int training = 0; killed < kills; training++) {
      Path out = folder.resolve("killed" + training);
      for (int i = 0; i < KILLS_OF_ONE && killed < kills; i++) {
        killed += run(out, random.nextInt(LINES_MAX)) ? 1 : 0;
      }
      assertThat(run(out, Integer.MAX_VALUE)).isFalse();
      assertThat(files(out)).as("training %d", training).isEqualTo(expected);
    }
  }

  /** Runs a child, and kills it behind that many lines; returns false if it ended before. */
  private static boolean run(Path out, int lines) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                TrainingChild.class.getName(),
                out.toString())
            .redirectErrorStream(true)
            .start();
    var tail = new StringBuilder();
    try (BufferedReader reader = child.inputReader()) {
      int read = 0;
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.matches("[0-9]+ on_.*|committed")) {
          read++;
        } else {
          tail.append(line).append('\n');
        }
        if (read > lines) {
          child.toHandle().destroyForcibly(); // the process alone: its last lines stay readable
        }
      }
    }
    int status = child.waitFor();
    assertThat(status).as("%s", tail).isIn(0, 137);
    return status == 137;
  }

  private static Map<String, ByteBuffer> files(Path out) throws Exception {
    Map<String, ByteBuffer> files = new TreeMap<>();
    try (var all = Files.newDirectoryStream(out)) {
      for (Path path : all) {
        files.put(path.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(path)));
      }
    }
    return files;
  }
}
