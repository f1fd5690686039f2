package dev.sluice.harness.serve;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** The list of runs as JSON. */
final class RunList {
  private static final JsonFactory JSON = new JsonFactory();

  private RunList() {}

  static byte[] json(List<ListedRun> runs) {
    var bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeArrayFieldStart("runs");
      for (ListedRun run : runs) {
        run.write(json);
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
