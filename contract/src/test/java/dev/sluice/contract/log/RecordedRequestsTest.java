package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of requests: written, read again, and damaged. */
final class RecordedRequestsTest {
  private static final RecordingHeader HEADER = RecordingHeader.requests("aa");

  private static final List<RecordedRequest> REQUESTS =
      List.of(
          new RecordedRequest(
              0, new RequestKind("interactive", "resnet50", "pytorch", "fp32", 4, 250_000_000)),
          new RecordedRequest(7, new RequestKind(null, null, null, null, 0, 0)),
          new RecordedRequest(7, new RequestKind("a \"b\" \\", "ü\n", null, "fp16", 0, 1)),
          new RecordedRequest(
              123_456_789_012L, new RequestKind("interactive", null, null, null, 1, 0)));

  @TempDir Path folder;

  private Path write(List<RecordedRequest> requests) throws IOException {
    Path file = folder.resolve("requests.jsonl.gz");
    try (var writer = RecordingWriter.ofRequests(file, HEADER)) {
      for (RecordedRequest request : requests) {
        writer.write(request);
      }
      assertThat(writer.records()).isEqualTo(requests.size());
      writer.finish();
    }
    return file;
  }

  private static List<RecordedRequest> read(Path file) throws UserMistakeException {
    try (var reader = RecordingReader.ofRequests(file, false)) {
      List<RecordedRequest> requests = new ArrayList<>();
      for (RecordedRequest r = reader.next(); r != null; r = reader.next()) {
        requests.add(r);
      }
      return requests;
    }
  }

  private Path rewrite(String text) throws IOException {
    Path file = folder.resolve("changed.gz");
    try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(text.getBytes(UTF_8));
    }
    return file;
  }

  private static List<String> lines(Path file) throws IOException {
    try (var in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), UTF_8).lines().toList();
    }
  }

  @Test
  void requests_comeBackAsTheyWere() throws Exception {
    Path file = write(REQUESTS);
    assertThat(read(file)).isEqualTo(REQUESTS);
    assertThat(RecordingReader.headerOf(file)).isEqualTo(HEADER);
    assertThat(Files.readAllBytes(file)).isEqualTo(Files.readAllBytes(write(REQUESTS)));
  }

  @Test
  void aHeaderOfRequests_tellsNothingOfTheRun() throws Exception {
    List<String> lines = lines(write(REQUESTS));
    assertThat(lines.get(0))
        .isEqualTo(
            "{\"sluice\":\"recording\",\"version\":1,\"kind\":\"requests\","
                + "\"request_digest\":\"aa\"}");
    assertThat(lines.get(1))
        .isEqualTo(
            "{\"intended_ns\":0,\"class\":\"interactive\",\"workload\":\"resnet50\","
                + "\"backend\":\"pytorch\",\"precision\":\"fp32\",\"samples\":4,"
                + "\"slo_ns\":250000000}");
    assertThat(lines.get(2)).isEqualTo("{\"intended_ns\":7}");
  }

  @Property
  void anyNames_comeBackAsTheyWere(
      @ForAll @Size(max = 50) List<String> names, @ForAll @LongRange(min = 0, max = 99) long gapNs)
      throws Exception {
    folder = Files.createTempDirectory("requests");
    var requests = new ArrayList<RecordedRequest>();
    for (String name : names) {
      String kept = new String(name.getBytes(UTF_8), UTF_8); // without halves of surrogate pairs
      requests.add(
          new RecordedRequest(
              requests.size() * gapNs, new RequestKind(kept, null, kept, null, 3, 0)));
    }
    Path file = write(requests);
    assertThat(read(file)).isEqualTo(requests);
    Files.delete(file);
    Files.delete(folder);
  }

  @Test
  void timesBackwards_areRefusedByTheWriter_andNamedByTheReader() throws Exception {
    try (var writer = RecordingWriter.ofRequests(folder.resolve("a"), HEADER)) {
      writer.write(REQUESTS.get(3));
      assertThatThrownBy(() -> writer.write(REQUESTS.get(0)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    List<String> lines = lines(write(REQUESTS));
    Path file = rewrite(lines.get(0) + "\n" + lines.get(4) + "\n" + lines.get(1) + "\n");
    assertThatThrownBy(() -> read(file))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("changed.gz:3: error: intended_ns (0) is less than")
        .hasMessageContaining("(123456789012)");
  }

  @Test
  void foreignLines_areNamedWithTheirPlace() throws Exception {
    String header = lines(write(REQUESTS)).get(0);
    for (String line :
        List.of(
            "x",
            "null",
            "{}",
            "{\"intended_ns\":-1}",
            "{\"intended_ns\":1.5}",
            "{\"intended_ns\":1,\"samples\":2147483648}",
            "{\"intended_ns\":1,\"slo_ns\":1,\"samples\":1}",
            "{\"intended_ns\":1,\"class\":null}",
            "{\"intended_ns\":1,\"class\":\"\\x\"}",
            "{\"intended_ns\":1} ",
            "{\"intended_ns\":9999999999999999999}")) {
      Path file = rewrite(header + "\n" + line + "\n");
      assertThatThrownBy(() -> read(file))
          .isInstanceOf(UserMistakeException.class)
          .hasMessageContaining("changed.gz:2: error: this line is no request");
    }
  }

  @Test
  void aLog_isNoRecordingOfRequests_norTheOtherWayRound() throws Exception {
    Path file = write(REQUESTS);
    assertThatThrownBy(() -> RecordingReader.ofLog(file, false))
        .hasMessageContaining("kind (requests)");
    var log = new RecordingHeader(1, RecordingHeader.Kind.LOG, "run", 0, 1, "1", null, null, null);
    Path other = folder.resolve("log.gz");
    try (var writer = RecordingWriter.ofLog(other, log)) {
      writer.finish();
    }
    assertThatThrownBy(() -> RecordingReader.ofRequests(other, false))
        .hasMessageContaining("kind (log)");
    assertThat(RecordingReader.headerOf(other)).isEqualTo(log);
  }
}
