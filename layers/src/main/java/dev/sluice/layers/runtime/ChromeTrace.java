package dev.sluice.layers.runtime;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.layers.engine.LayerTrace.Row;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;

/**
 * The trace-event format of Chrome, which Perfetto opens: a complete event ("X") for each
 * operation, a counter ("C") of resident bytes behind it, and names of the threads.
 *
 * <p>Times are microseconds there, with fractions. Source: "Trace Event Format", Google, 2016.
 */
final class ChromeTrace {
  private static final int PROCESS = 1;
  private static final double NS_PER_US = 1e3;

  private final JsonGenerator json;
  private final List<String> names;

  /** Names of the threads; a thread's id is its place, from 1. */
  private final List<String> threads = new ArrayList<>();

  ChromeTrace(Writer out, List<String> names, String title) throws IOException {
    this.names = names;
    json = new JsonFactory().createGenerator(out);
    json.writeStartObject();
    json.writeStringField("displayTimeUnit", "ms");
    json.writeArrayFieldStart("traceEvents");
    named("process_name", 0, title);
  }

  void add(Row row) throws IOException {
    int thread = threads.indexOf(row.thread()) + 1;
    if (thread == 0) {
      threads.add(row.thread());
      thread = threads.size();
      named("thread_name", thread, row.thread());
    }
    begin("X", row.operation() + " " + names.get(row.layer()), thread, row.startNs());
    json.writeStringField("cat", row.operation());
    json.writeNumberField("dur", row.tookNs() / NS_PER_US);
    json.writeObjectFieldStart("args");
    json.writeNumberField("step", row.step());
    json.writeStringField("hook", row.hook());
    json.writeStringField("layer", names.get(row.layer()));
    json.writeNumberField("bytes", row.bytes());
    json.writeEndObject();
    json.writeEndObject();
    begin("C", "resident bytes", 0, row.endNs());
    json.writeObjectFieldStart("args");
    json.writeNumberField("parameters", row.residentBytes());
    json.writeEndObject();
    json.writeEndObject();
  }

  private void named(String what, int thread, String name) throws IOException {
    begin("M", what, thread, 0);
    json.writeObjectFieldStart("args");
    json.writeStringField("name", name);
    json.writeEndObject();
    json.writeEndObject();
  }

  private void begin(String phase, String name, int thread, long atNs) throws IOException {
    json.writeStartObject();
    json.writeStringField("ph", phase);
    json.writeStringField("name", name);
    json.writeNumberField("pid", PROCESS);
    json.writeNumberField("tid", thread);
    json.writeNumberField("ts", atNs / NS_PER_US);
  }

  /** Ends the document; the writer stays open. */
  void end() throws IOException {
    json.writeEndArray();
    json.writeEndObject();
    json.flush();
  }
}
