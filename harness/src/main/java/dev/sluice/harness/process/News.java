package dev.sluice.harness.process;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One piece of news from a child process to the parent that supervises it: a JSON line in a file
 * that the parent names. What the child prints is for people alone.
 *
 * @param up the child's entry in the run, or the broker's address, if it is up; null: no news of
 *     that
 * @param error lines in which the child says why it ends; null: no error
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record News(long pid, @Nullable String up, @Nullable List<String> error) {
  static final String FILE = "sluice.news";

  private static final Logger LOG = LoggerFactory.getLogger(News.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Tells the parent that this process is up. */
  public static void up(String as) {
    tell(new News(ProcessHandle.current().pid(), as, null));
  }

  /** Says on standard error why this process ends, and tells the parent. */
  public static void error(String text) {
    System.err.println(text);
    tell(new News(ProcessHandle.current().pid(), null, text.lines().toList()));
  }

  private static void tell(News news) {
    String file = System.getProperty(FILE);
    if (file == null) {
      return;
    }
    try {
      Files.write(
          Path.of(file),
          (JSON.writeValueAsString(news) + "\n").getBytes(StandardCharsets.UTF_8),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) { // such as a full disk; the exit status tells of the end too
      LOG.warn("the parent cannot be told: {}", news, e);
    }
  }

  /** Reads what all starts of a child have told so far, oldest first. */
  static List<News> read(Path file) {
    if (!Files.exists(file)) {
      return List.of();
    }
    List<News> all = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(file)) {
        try {
          all.add(JSON.readValue(line, News.class));
        } catch (JsonProcessingException e) {
          LOG.debug("a line is not whole yet: {}", line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }
}
