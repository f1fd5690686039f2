package dev.sluice.cli.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.RecordingWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** Recordings of a log, and of requests alone: their lines, their trailer, their compression. */
final class RecordingReaders {
  private static final String LOG =
      """
      {"sluice":"recording","version":1,"kind":"log","run_id":"run-1","time_zero_epoch_ms":1700000000000,"shards":2,"core":"1","request_digest":"aa","config_digest":"bb","experiment":"name: x\\nseed: 1\\n"}
      {"topic":"runs","partition":0,"offset":0,"appended_ms":10,"event":{"type":"RunStarted"}}
      {"topic":"facts","partition":0,"offset":0,"appended_ms":10,"event":{}}
      {"topic":"facts","partition":1,"offset":5,"appended_ms":10,"event":{"a": [1, {}] }}
      {"topic":"facts","partition":0,"offset":1,"appended_ms":11,"bytes":"bm90IGFuIGV2ZW50"}
      {"topic":"outcomes","partition":1,"offset":7,"appended_ms":11,"event":{"s":"\\u00fc \\n"}}
      """;

  private static final String REQUESTS =
      """
      {"sluice":"recording","version":1,"kind":"requests","request_digest":"aa"}
      {"intended_ns":0,"class":"interactive","workload":"resnet18","backend":"onnx","precision":"fp32","samples":1,"slo_ns":100000000}
      {"intended_ns":5,"class":"batch","workload":"a \\"quote\\"","samples":8}
      {"intended_ns":5}
      {"intended_ns":123456789012}
      """;

  private RecordingReaders() {}

  static Stream<FuzzedReader> all() {
    return Stream.of(
        new FuzzedReader(
            "recordings of logs", List.of(ended(LOG)), (in, input) -> log(compressed(in, input))),
        new FuzzedReader(
            "recordings of requests",
            List.of(ended(REQUESTS)),
            (in, input) -> requests(compressed(in, input))));
  }

  /** The lines with the trailer that fits them. */
  private static String ended(String lines) {
    long records = lines.lines().count() - 1;
    return lines
        + "{\"records\":%d,\"sha256\":\"%s\"}\n"
            .formatted(records, Sha256.hex(lines.getBytes(ISO_8859_1)));
  }

  /**
   * Compresses. Of the texts whose trailer does not fit any more, a third gets one that does, and
   * of a third bytes are changed behind the compression.
   */
  private static Path compressed(Path folder, byte[] input) throws IOException {
    var random = new Random(Arrays.hashCode(input));
    String text = new String(input, ISO_8859_1);
    int trailer = text.lastIndexOf("\n{\"records\":") + 1;
    String fitting = trailer > 0 ? ended(text.substring(0, trailer)) : text;
    int third = text.equals(fitting) ? 0 : random.nextInt(3);
    byte[] lines = third == 0 ? fitting.getBytes(ISO_8859_1) : input;
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(lines);
    }
    byte[] file = out.toByteArray();
    if (third == 1) {
      file[random.nextInt(file.length)] = (byte) random.nextInt(256);
      file = random.nextBoolean() ? Arrays.copyOf(file, random.nextInt(file.length)) : file;
    }
    return Files.write(folder.resolve("r.jsonl.gz"), file);
  }

  private static void log(Path file) throws Exception {
    RecordingHeader header;
    List<RecordedEntry> read = new ArrayList<>();
    try (var reader = RecordingReader.ofLog(file, false)) {
      header = reader.header();
      for (RecordedEntry e = reader.next(); e != null; e = reader.next()) {
        read.add(e);
      }
    }
    Path written = file.resolveSibling("written.jsonl.gz");
    try (var writer = RecordingWriter.ofLog(written, header)) {
      for (RecordedEntry entry : read) {
        writer.write(entry);
      }
      writer.finish();
    }
    try (var reader = RecordingReader.ofLog(written, false)) {
      assertThat(reader.header()).isEqualTo(header);
      for (RecordedEntry entry : read) {
        assertThat(reader.next()).usingRecursiveComparison().isEqualTo(entry);
      }
      assertThat(reader.next()).isNull();
    }
  }

  private static void requests(Path file) throws Exception {
    RecordingHeader header;
    List<RecordedRequest> read = new ArrayList<>();
    try (var reader = RecordingReader.ofRequests(file, false)) {
      header = reader.header();
      for (RecordedRequest r = reader.next(); r != null; r = reader.next()) {
        read.add(r);
      }
    }
    Path written = file.resolveSibling("written.jsonl.gz");
    try (var writer = RecordingWriter.ofRequests(written, header)) {
      for (RecordedRequest request : read) {
        writer.write(request);
      }
      writer.finish();
    }
    try (var reader = RecordingReader.ofRequests(written, false)) {
      for (RecordedRequest request : read) {
        assertThat(reader.next()).isEqualTo(request);
      }
      assertThat(reader.next()).isNull();
    }
  }
}
