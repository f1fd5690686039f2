package dev.sluice.harness.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Standard input of a child process: the parent's lines, and an end when the parent is gone. */
public final class ParentWatch {
  private ParentWatch() {}

  /** Begins to read, on a daemon thread. */
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
