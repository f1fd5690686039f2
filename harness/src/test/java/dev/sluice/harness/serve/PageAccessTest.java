package dev.sluice.harness.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.serve.RawClient.Answer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets an answer, and what every answer says: a real server, asked over bare sockets. */
final class PageAccessTest {
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final LiveRun run = new LiveRun("run-1");
  private PageServer server;

  @BeforeEach
  void start() throws UserMistakeException {
    server = PageServer.start(address(List.of("sluice.example")), run);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static PageAddress address(List<String> allowedHosts) {
    return new PageAddress(0, null, allowedHosts, PageAddress.PAGES_MAX);
  }

  private Answer get(String path, String... headers) throws IOException {
    return RawClient.get(server.url(), path, headers);
  }

  private Answer askedFor(String host) throws IOException {
    return RawClient.ask(server.url(), "GET /api/runs HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/page.js", "/page.css", "/uplot.js", "/uplot.css", "/api/runs"})
  void everyAnswerAllowsNothingFromElsewhere_andNoInlineCode(String path) throws IOException {
    Answer answer = get(path);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-security-policy"))
        .contains("default-src 'none'", "script-src 'self'", "style-src 'self'")
        .doesNotContain("unsafe", "http", "*");
    assertThat(answer.header("x-content-type-options")).isEqualTo("nosniff");
    assertThat(answer.headers()).doesNotContainKeys("set-cookie", "server");
  }

  @Test
  void refusalsAreProtectedLikewise() throws IOException {
    for (String path : List.of("/nothing", "/api/runs/none", "/%00")) {
      assertThat(get(path).header("content-security-policy")).contains("default-src 'none'");
      assertThat(get(path).header("x-content-type-options")).isEqualTo("nosniff");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"})
  void onlyGetAndHeadAreAnswered(String method) throws IOException {
    Answer answer =
        RawClient.ask(
            server.url(),
            method + " /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");

    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("allow")).isEqualTo("GET, HEAD");
  }

  @Test
  void headGivesTheHeadersAlone() throws IOException {
    Answer answer =
        RawClient.ask(server.url(), "HEAD /api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).isEmpty();
    assertThat(answer.header("content-length")).isNotEqualTo("0");
  }

  @Test
  void headOfAStreamOpensNone() throws IOException {
    Answer answer =
        RawClient.ask(
            server.url(), "HEAD /api/runs/run-1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");

    assertThat(answer.header("content-type")).startsWith("text/event-stream");
    assertThat(server.streams.count()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "localhost:8642",
        "LOCALHOST",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.9.9.9",
        "[::1]:8642",
        "sluice.example",
        "Sluice.Example:80"
      })
  void aLoopbackHostOrAnAllowedNameIsAnswered(String host) throws IOException {
    assertThat(askedFor(host).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:8642",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "0.0.0.0",
        "2130706433",
        "[2001:db8::1]",
        "sluice.example.evil"
      })
  void aPageOfAnotherSiteIsRefused(String host) throws IOException {
    Answer answer = askedFor(host);

    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.text()).contains("--allow-host").doesNotContain("run-1");
  }

  @Test
  void aRequestWithoutAHostIsRefused() throws IOException {
    assertThat(RawClient.ask(server.url(), "GET /api/runs HTTP/1.0\r\n\r\n").status())
        .isEqualTo(403);
  }

  @Test
  void aForeignHostInTheRequestLineIsRefused() throws IOException {
    Answer answer =
        RawClient.ask(
            server.url(), "GET http://evil.example/api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n");

    assertThat(answer.status()).isIn(400, 403);
    assertThat(answer.text()).doesNotContain("run-1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/../../etc/passwd",
        "/api/runs/../../../etc/passwd",
        "/api/runs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/api/runs/..%5c..%5cetc",
        "/api/runs/%00",
        "/api/runs/run-1%00",
        "/api/runs/run-1;x=y/snapshot",
        "/api/runs/%c0%ae%c0%ae/snapshot",
        "/api/runs/run-1/nothing",
        "//api/runs",
        "/page.js/../../../../pom.xml"
      })
  void aPathThatIsNoAddressOfThePageGivesNothing(String path) throws IOException {
    Answer answer = get(path);

    assertThat(answer.status()).isIn(400, 404);
    assertThat(answer.text()).doesNotContain("root:", "<project").hasLineCount(1);
  }

  @Test
  void anAddressOf64KibIsRefused() throws IOException {
    assertThat(get("/api/runs/" + "a".repeat(65_536)).status()).isIn(414, 431);
  }

  @Test
  void headersOf64KibAreRefused() throws IOException {
    assertThat(get("/api/runs", "X-Long: " + "a".repeat(65_536)).status()).isEqualTo(431);
  }

  @Test
  void aRequestThatNeverEndsIsCutOff() throws UserMistakeException, IOException {
    try (var hurried =
            PageServer.start(
                address(List.of()), new LiveRun("run-1"), new PageServer.Limits(SHORT, LONG));
        var client = new RawClient(hurried.url())) {
      client.send("GET /api/runs HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");

      assertThat(client.event()).isNull(); // closed, without an answer
    }
  }

  @Test
  void aStreamOutlivesTheLimitOfARequest() throws UserMistakeException, IOException {
    var shown = new LiveRun("run-1");
    try (var hurried =
            PageServer.start(address(List.of()), shown, new PageServer.Limits(SHORT, SHORT));
        var client = RawClient.stream(hurried.url(), "run-1")) {
      for (int i = 0; i < 3; i++) {
        client.comment(); // one each 200 ms
      }
    }
  }

  @Test
  void textIsCompressedForThoseWhoAskForIt() throws IOException {
    Answer plain = get("/page.js");
    Answer packed = get("/page.js", "Accept-Encoding: gzip, deflate, br");

    assertThat(plain.header("content-encoding")).isNull();
    assertThat(packed.header("content-encoding")).isEqualTo("gzip");
    assertThat(packed.body().length).isLessThan(plain.body().length);
    try (var unpacked = new GZIPInputStream(new ByteArrayInputStream(packed.body()))) {
      assertThat(unpacked.readAllBytes()).isEqualTo(plain.body());
    }
  }

  @Test
  void aTakenPortIsAMistakeThatNamesAnother() throws IOException {
    try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var taken = new PageAddress(other.getLocalPort(), null, List.of(), 1);

      assertThatThrownBy(() -> PageServer.start(taken, new LiveRun("run-1")))
          .isInstanceOf(UserMistakeException.class)
          .hasMessageContaining("--port")
          .hasMessageContaining("(" + other.getLocalPort() + ")")
          .hasMessageContaining("Maybe")
          .hasMessageContaining("--port 0");
    }
  }

  @Test
  void aPortThatDoesNotExistIsAMistake() {
    assertThatThrownBy(
            () ->
                PageServer.start(new PageAddress(65_536, null, List.of(), 1), new LiveRun("run-1")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("(65536)");
  }

  @Test
  void anAddressOfAnotherMachineIsAMistake() {
    assertThatThrownBy(
            () ->
                PageServer.start(
                    new PageAddress(0, "192.0.2.1", List.of(), 1), new LiveRun("run-1")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("--bind")
        .hasMessageContaining("(192.0.2.1)");
  }

  @Test
  void thePortThatWasFoundIsNamed() {
    assertThat(server.url()).matches("http://127\\.0\\.0\\.1:[1-9]\\d+/");
  }
}
