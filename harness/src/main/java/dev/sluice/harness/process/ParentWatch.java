package dev.sluice.harness.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Standard input as a child process sees it: what its parent writes there, line by line, and its
 * end, which comes when the parent is gone, however it went.
 */
public final class ParentWatch {
  private ParentWatch() {}

  /**
   * Begins to read, on a daemon thread.
   *
   * @param onLine told of each line
   * @param onEnd told once when the parent is gone
   */
  public static void start(Consumer<String> onLine, Runnable onEnd) {
    var thread =
        new Thread(
            () -> {
              try (var lines =
                  new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  onLine.accept(line);
                }
              } catch (IOException e) {
                System.err.println("sluice: standard input cannot be read: " + e.getMessage());
              }
              onEnd.run();
            },
            "sluice-parent-watch");
    thread.setDaemon(true);
    thread.start();
  }
}
