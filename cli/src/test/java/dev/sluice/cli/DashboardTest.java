package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.Launch;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Grafana's dashboard: each of its queries, put to a Prometheus that has scraped a real run. */
@Tag("slow")
@Timeout(300)
final class DashboardTest {
  private static final Path ROOT = Path.of("..");
  private static final Duration LIMIT = Duration.ofSeconds(180);
  private static final Pattern SERVED = Pattern.compile("metrics at http://(\\S+)/metrics");
  private static final Pattern VARIABLE = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RUN = "charted";

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private String prometheus = "";

  /** A program of Debian's package prometheus. */
  private static Path program(String name) {
    Optional<Path> found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .map(folder -> Path.of(folder, name))
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(found.isPresent(), "no " + name + " is installed (Debian's package prometheus)");
    return found.orElseThrow();
  }

  @Test
  void promtoolAcceptsTheConfiguration() throws Exception {
    String config = ROOT.resolve("monitoring/prometheus.yml").toString();
    assertThat(Launch.of(program("promtool").toString(), "check", "config", config).status())
        .isZero();
  }

  @Test
  void eachQueryAnswersWithSeries_ofARunOfProcesses() throws Exception {
    Path program = program("prometheus");
    EmbeddedBroker broker = SharedBroker.get();
    try (var roles = new Roles(folder, broker.bootstrapServers(), RUN)) {
      Map<String, ChildProcess> children = new LinkedHashMap<>();
      for (String role : List.of("analyze", "execute", "schedule", "produce")) {
        children.put(
            role, roles.role(role, role, "--metrics-port", "0", "--set", "duration_seconds=600"));
      }
      String results = Files.createDirectories(roles.loop().results()).toString();
      children.put(
          "serve", roles.start("serve", "serve", results, "--port", "0", "--metrics-port", "0"));
      Process scraper = startPrometheus(program, scraped(roles, children));
      try {
        awaitAnswers(children.values(), scraper);
      } finally {
        scraper.destroy();
        scraper.waitFor();
      }
    }
  }

  /** Targets by the name of their job. */
  private static Map<String, String> scraped(Roles roles, Map<String, ChildProcess> children)
      throws InterruptedException {
    Map<String, String> targets = new LinkedHashMap<>();
    for (ChildProcess child : children.values()) {
      roles.awaitPrinted(child, "/metrics");
      Matcher served = SERVED.matcher(Roles.printed(child));
      assertThat(served.find()).as(Roles.printed(child)).isTrue();
      targets.put(child.name(), served.group(1));
    }
    return targets;
  }

  private Process startPrometheus(Path program, Map<String, String> targets) throws IOException {
    var config = new StringBuilder("global: {scrape_interval: 500ms}\nscrape_configs:\n");
    targets.forEach(
        (job, target) ->
            config.append(
                "- {job_name: %s, static_configs: [{targets: ['%s']}]}%n".formatted(job, target)));
    Path file = Files.writeString(folder.resolve("prometheus.yml"), config);
    String address = "127.0.0.1:" + EmbeddedBroker.freePort();
    prometheus = "http://" + address + "/api/v1/";
    return Launch.of(
            program.toString(),
            "--config.file=" + file,
            "--storage.tsdb.path=" + folder.resolve("tsdb"),
            "--web.listen-address=" + address)
        .output(Redirect.to(folder.resolve("prometheus.log").toFile()))
        .errorsToOutput()
        .start();
  }

  /** Asks until every query has answered, as long as all processes run. */
  private void awaitAnswers(Iterable<ChildProcess> children, Process scraper) throws Exception {
    List<String> open = new ArrayList<>(questions());
    assertThat(open).hasSizeGreaterThan(25);
    long endNs = MachineClock.monotonicNs() + LIMIT.toNanos();
    while (!open.isEmpty()) {
      for (ChildProcess child : children) {
        assertThat(child.isAlive()).as(() -> Roles.printed(child)).isTrue();
      }
      assertThat(scraper.isAlive()).as(folder.resolve("prometheus.log").toString()).isTrue();
      assertThat(MachineClock.monotonicNs())
          .as("no answer to " + String.join("\n", open))
          .isLessThan(endNs);
      for (String question : List.copyOf(open)) {
        if (answers(question)) {
          open.remove(question);
        }
      }
      scraper.waitFor(500, TimeUnit.MILLISECONDS);
    }
  }

  /** What the dashboard asks: the values of its variables, and the queries of its panels. */
  private static List<String> questions() throws IOException {
    JsonNode dashboard = JSON.readTree(ROOT.resolve("monitoring/dashboards/sluice.json").toFile());
    List<String> questions = new ArrayList<>();
    for (JsonNode variable : dashboard.at("/templating/list")) {
      Matcher asked = VARIABLE.matcher(variable.at("/query/query").asText());
      assertThat(asked.matches()).as(variable.toString()).isTrue();
      questions.add("label/" + asked.group(2) + "/values?match[]=" + asked.group(1));
    }
    for (JsonNode panel : dashboard.path("panels")) {
      assertThat(panel.path("targets")).as(panel.path("title").asText()).isNotEmpty();
      for (JsonNode target : panel.path("targets")) {
        questions.add(
            target
                .path("expr")
                .asText()
                .replace("$__rate_interval", "4s")
                .replace("$run", RUN)
                .replace("$class", ".*"));
      }
    }
    assertThat(questions).noneMatch(question -> question.contains("$"));
    return questions;
  }

  /** Tells whether the answer holds a value: of a query a number, of a variable a word. */
  private boolean answers(String question) throws IOException, InterruptedException {
    if (question.startsWith("label/")) {
      return !ask(question.replace("[]", "%5B%5D")).path("data").isEmpty();
    }
    JsonNode series = ask("query?query=" + URLEncoder.encode(question, UTF_8)).at("/data/result");
    return StreamSupport.stream(series.spliterator(), false)
        .anyMatch(one -> !one.at("/value/1").asText().equals("NaN"));
  }

  private JsonNode ask(String path) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(prometheus + path)).build();
    try {
      String body = http.send(request, BodyHandlers.ofString()).body();
      if (body.startsWith("{")) {
        JsonNode answer = JSON.readTree(body);
        assertThat(answer.path("status").asText()).as(path + ": " + body).isEqualTo("success");
        return answer;
      }
    } catch (ConnectException e) {
      // it has not begun to listen
    }
    return JSON.createObjectNode();
  }
}
