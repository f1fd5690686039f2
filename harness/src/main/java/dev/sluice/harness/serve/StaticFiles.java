package dev.sluice.harness.serve;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The page's files, by the path of their address. */
final class StaticFiles {
  private static final String FOLDER = "/dev/sluice/analytics/live/page/";

  private final Map<String, Answer> files = new TreeMap<>();

  /** Reads and compresses the files, once. */
  StaticFiles() {
    put("/", "index.html", "text/html; charset=utf-8");
    put("/page.js", "page.js", "text/javascript; charset=utf-8");
    put("/page.css", "page.css", "text/css; charset=utf-8");
    put("/uplot.js", "uplot.iife.min.js", "text/javascript; charset=utf-8");
    put("/uplot.css", "uplot.min.css", "text/css; charset=utf-8");
  }

  private void put(String path, String name, String type) {
    try (InputStream file = StaticFiles.class.getResourceAsStream(FOLDER + name)) {
      if (file == null) {
        throw new IllegalStateException("the page's file is not on the class path: " + name);
      }
      files.put(path, Answer.compressed(type, file.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The file at a path; null: there is none. */
  @Nullable Answer at(String path) {
    return files.get(path);
  }
}
