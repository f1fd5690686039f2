package dev.sluice.layers.runtime;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.FolderHold;
import dev.sluice.layers.engine.LayerTrace;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects a run's operations from its threads: figures always, files where a folder is given. The
 * files grow as the run goes on, in {@code DIR.running}, which becomes {@code DIR} as the run's
 * last act, and {@code DIR.failed} if it did not come to its end. Safe for threads.
 */
public final class LayersTrace implements LayerTrace, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LayersTrace.class);
  private static final String OPTION = "--trace";
  private static final String CSV = "layers.csv";
  private static final String JSON = "trace.json";
  private static final String PICTURE = "timeline.png";
  private static final String CSV_HEADER =
      "step,hook,operation,layer,thread,start_ns,end_ns,bytes,resident_bytes\n";

  /** Steps that the picture shows. */
  private static final int STEPS_SHOWN = 3;

  /** Operations that the picture shows at most, of short steps of many layers. */
  private static final int SHOWN_MAX = 5000;

  private final String title;
  private final List<String> layers;
  private final long budgetBytes;
  private final RunFigures figures;
  private final @Nullable Open files;
  private final List<Row> shown = new ArrayList<>();
  private @Nullable IOException failure;
  private long originNs;
  private boolean finished;

  private record Open(Path folder, FolderHold hold, Writer csv, Writer jsonOut, ChromeTrace json) {
    Path running() {
      return beside(folder, ".running");
    }
  }

  /**
   * Makes the folder, if there is one. What a killed run left under the running name is replaced,
   * and so is what a failed one left.
   *
   * @param title model, budget and schedule, in a few words
   * @param layers names of the layers
   * @param budgetBytes bytes that resident parameters may take; 0: no budget
   * @param folder takes the files; null: there are none
   * @throws UserMistakeException if the folder is there already, another process works on it, or it
   *     cannot be written
   */
  public LayersTrace(String title, List<String> layers, long budgetBytes, @Nullable Path folder)
      throws UserMistakeException, IOException {
    this.title = title;
    this.layers = List.copyOf(layers);
    this.budgetBytes = budgetBytes;
    this.figures = new RunFigures(layers.size());
    this.files = folder == null ? null : opened(folder);
  }

  private Open opened(Path folder) throws UserMistakeException, IOException {
    Path whole = folder.toAbsolutePath().normalize();
    UserMistakeException.throwIf(
        Files.exists(whole),
        OPTION,
        "the folder (" + folder + ") is there already",
        "you want another folder, or to move that one away");
    Path running = beside(whole, ".running");
    FolderHold hold = FolderHold.take(running, OPTION);
    List<Writer> begun = new ArrayList<>();
    try {
      begun.add(Files.newBufferedWriter(running.resolve(CSV)));
      begun.get(0).write(CSV_HEADER);
      begun.add(Files.newBufferedWriter(running.resolve(JSON)));
      var json = new ChromeTrace(begun.get(1), layers, title);
      return new Open(whole, hold, begun.get(0), begun.get(1), json);
    } catch (IOException e) {
      fail(whole, hold, begun);
      throw e;
    }
  }

  private static Path beside(Path folder, String ending) {
    return folder.resolveSibling(folder.getFileName() + ending);
  }

  /** Says that the first step begins. All operations come behind this. */
  public synchronized void begin(long nowNs) {
    originNs = nowNs;
  }

  /** Takes an operation. A file that cannot be written fails the run at its next check. */
  @Override
  public synchronized void add(Row byClock) {
    Row row = byClock.since(originNs);
    figures.add(row);
    if (row.step() <= STEPS_SHOWN && shown.size() < SHOWN_MAX) {
      shown.add(row);
    }
    if (files != null && failure == null) {
      try {
        files.csv().write(csvLine(row));
        files.json().add(row);
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  /** A line of layers.csv; no name of a layer holds a comma. */
  private String csvLine(Row row) {
    return Stream.of(
            row.step(),
            row.hook(),
            row.operation(),
            layers.get(row.layer()),
            row.thread(),
            row.startNs(),
            row.endNs(),
            row.bytes(),
            row.residentBytes())
        .map(String::valueOf)
        .collect(Collectors.joining(",", "", "\n"));
  }

  /** Figures of all operations so far; not to be read while the run goes on. */
  public synchronized RunFigures figures() {
    return figures;
  }

  /** Writes what is left of the files, and the picture. The folder keeps its running name. */
  public synchronized void write(int steps) throws IOException {
    if (failure != null) {
      throw failure;
    }
    if (files != null) {
      files.json().end();
      files.csv().close();
      files.jsonOut().close();
      Files.write(files.running().resolve(PICTURE), picture(steps));
    }
  }

  private byte[] picture(int steps) {
    String shownOf = steps > STEPS_SHOWN ? " · steps 1 to " + STEPS_SHOWN + " of " + steps : "";
    return LayerTimeline.png(title + shownOf, layers, budgetBytes, shown);
  }

  /**
   * Gives the folder its final name, since the run is whole, and returns it; null: there is none.
   */
  public synchronized @Nullable Path finish() throws IOException {
    if (files == null) {
      return null;
    }
    files.hold().close();
    Files.move(files.running(), files.folder(), StandardCopyOption.ATOMIC_MOVE);
    finished = true;
    return files.folder();
  }

  /** Closes files that were not written to their end, and marks an unfinished folder as failed. */
  @Override
  public synchronized void close() {
    if (files != null && !finished) {
      fail(files.folder(), files.hold(), List.of(files.csv(), files.jsonOut()));
    }
  }

  private static void fail(Path folder, FolderHold hold, List<Writer> begun) {
    for (Writer writer : begun) {
      try {
        writer.close();
      } catch (IOException e) {
        LOG.warn("the unfinished trace is cut short", e);
      }
    }
    Path running = beside(folder, ".running");
    Path failed = beside(folder, ".failed");
    try {
      hold.close();
      if (Files.exists(failed)) { // of an earlier run, which this one replaces
        for (String name : List.of(CSV, JSON, PICTURE)) {
          Files.deleteIfExists(failed.resolve(name));
        }
        Files.delete(failed);
      }
      Files.move(running, failed, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.warn("the unfinished trace stays behind in {}", running, e);
    }
  }

  /**
   * The trace-event format of Chrome, which Perfetto opens: a complete event ("X") for each
   * operation, a counter ("C") of resident bytes behind it, and names ("M") of the threads.
   *
   * <p>Times are microseconds there, with fractions. Source: "Trace Event Format", Google, 2016.
   */
  private static final class ChromeTrace {
    private static final ObjectMapper MAPPER =
        new ObjectMapper().disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE);
    private static final int PROCESS = 1;
    private static final double NS_PER_US = 1e3;

    private final JsonGenerator json;
    private final List<String> names;

    /** Names of the threads; a thread's id is its place, from 1. */
    private final List<String> threads = new ArrayList<>();

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Event(
        String ph,
        String name,
        int pid,
        int tid,
        double ts,
        @Nullable String cat,
        @Nullable Double dur,
        Object args) {}

    private record Arguments(int step, String hook, String layer, long bytes) {}

    ChromeTrace(Writer out, List<String> names, String title) throws IOException {
      this.names = names;
      json = MAPPER.createGenerator(out);
      json.writeStartObject();
      json.writeStringField("displayTimeUnit", "ms");
      json.writeArrayFieldStart("traceEvents");
      named("process_name", 0, title);
    }

    private void named(String what, int thread, String name) throws IOException {
      json.writePOJO(new Event("M", what, PROCESS, thread, 0, null, null, Map.of("name", name)));
    }

    void add(Row row) throws IOException {
      int thread = threads.indexOf(row.thread()) + 1;
      if (thread == 0) {
        threads.add(row.thread());
        thread = threads.size();
        named("thread_name", thread, row.thread());
      }
      String layer = names.get(row.layer());
      json.writePOJO(
          new Event(
              "X",
              row.operation() + " " + layer,
              PROCESS,
              thread,
              row.startNs() / NS_PER_US,
              row.operation(),
              row.tookNs() / NS_PER_US,
              new Arguments(row.step(), row.hook(), layer, row.bytes())));
      json.writePOJO(
          new Event(
              "C",
              "resident bytes",
              PROCESS,
              0,
              row.endNs() / NS_PER_US,
              null,
              null,
              Map.of("parameters", row.residentBytes())));
    }

    /** Ends the document; the writer stays open. */
    void end() throws IOException {
      json.writeEndArray();
      json.writeEndObject();
      json.flush();
    }
  }
}
