package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.process.ChildProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code serve} and {@code run --live} as processes, asked as a browser asks. */
@Tag("loop")
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a run that dies would leave a stream without an end
final class ServeCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern PAGE = Pattern.compile("Page {2}(http://\\S+)");

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  /** An event of a stream. */
  private record Event(String name, String id, JsonNode data) {}

  private JsonNode get(String url) throws Exception {
    String body =
        client
            .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
            .body();
    return JSON.readTree(body);
  }

  /** Reads a stream to its end. */
  private List<Event> events(String url) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url)).build();
    List<Event> events = new ArrayList<>();
    try (var lines = client.send(request, BodyHandlers.ofLines()).body()) {
      String name = "";
      String id = "";
      for (Iterator<String> all = lines.iterator(); all.hasNext(); ) {
        String line = all.next();
        if (line.startsWith("event: ")) {
          name = line.substring(7);
        } else if (line.startsWith("id: ")) {
          id = line.substring(4);
        } else if (line.startsWith("data: ")) {
          events.add(new Event(name, id, JSON.readTree(line.substring(6))));
          id = "";
        }
      }
    }
    return events;
  }

  private static List<String> names(List<Event> events) {
    return events.stream().map(Event::name).toList();
  }

  private static String page(Roles roles, ChildProcess process) throws Exception {
    roles.awaitPrinted(process, "Page  http");
    Matcher page = PAGE.matcher(Roles.printed(process));
    assertThat(page.find()).isTrue();
    return page.group(1);
  }

  private static ChildProcess run(Roles roles, String runId, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of("run", roles.loop().write(Loop.EMULATED).toString(), "--run-id", runId));
    arguments.addAll(Roles.UNHURRIED);
    arguments.addAll(List.of("--set", "duration_seconds=4"));
    arguments.addAll(List.of(more));
    return roles.start("run-" + runId, arguments.toArray(String[]::new));
  }

  @Test
  void runLiveShowsItself_andItsLastFrameIsTheSummaryOfItsFolder() throws Exception {
    Path results = folder.resolve("results");
    try (var roles = new Roles(folder, "", "live")) {
      var run = run(roles, "live", "--live", "--port", "0", "--results", results.toString());
      String page = page(roles, run);
      List<Event> events = events(page + "api/runs/live/stream");
      roles.awaitWhole(run);

      assertThat(events).first().extracting(Event::name).isEqualTo("snapshot");
      Event ended = events.get(events.size() - 1);
      assertThat(ended.name()).isEqualTo("ended");
      assertThat(ended.data().path("summary"))
          .isEqualTo(JSON.readTree(results.resolve("live/summary.json").toFile()));
      List<String> seconds =
          events.stream().filter(event -> event.name().equals("second")).map(Event::id).toList();
      assertThat(seconds).isNotEmpty().doesNotHaveDuplicates();
      assertThat(names(events)).contains("second", "lanes");
      assertThat(results.resolve("live/broker.json")).doesNotExist();
      assertThat(results.resolve("live/.lock")).doesNotExist();
    }
  }

  @Test
  void serveShowsARunUnderWayFromItsFolder_andThenItsFolder() throws Exception {
    Path results = Files.createDirectories(folder.resolve("results"));
    try (var roles = new Roles(folder, "", "under-way")) {
      var serve = roles.start("serve", "serve", results.toString(), "--port", "0");
      String page = page(roles, serve);
      assertThat(get(page + "api/runs").path("runs").size()).isZero();
      var run = run(roles, "under-way", "--results", results.toString());
      roles.awaitPrinted(run, "infeasible"); // the load begins next

      JsonNode listed = get(page + "api/runs").at("/runs/0");
      assertThat(listed.path("id").asText()).isEqualTo("under-way");
      assertThat(listed.path("state").asText()).isEqualTo("live");
      List<Event> events = events(page + "api/runs/under-way/stream");
      roles.awaitWhole(run);

      Event ended = events.get(events.size() - 1);
      assertThat(ended.name()).isEqualTo("ended");
      assertThat(ended.data().path("summary"))
          .isEqualTo(JSON.readTree(results.resolve("under-way/summary.json").toFile()));
      JsonNode row = get(page + "api/runs").at("/runs/0");
      assertThat(row.path("state").asText()).isEqualTo("finished");
      assertThat(row.path("goodput_per_s").asDouble())
          .isEqualTo(ended.data().at("/summary/all_goodput_jobs_sec").asDouble());
      assertThat(get(page + "api/runs/under-way").path("state").asText()).isEqualTo("finished");
    }
  }

  @Test
  void aRunWhoseProcessIsGoneIsListedAsFailed() throws Exception {
    Path results = Files.createDirectories(folder.resolve("results"));
    try (var roles = new Roles(folder, "", "killed")) {
      var serve = roles.start("serve", "serve", results.toString(), "--port", "0");
      String page = page(roles, serve);
      var run = run(roles, "killed", "--results", results.toString());
      roles.awaitPrinted(run, "infeasible");
      assertThat(get(page + "api/runs").at("/runs/0/state").asText()).isEqualTo("live");
      run.process().destroyForcibly().waitFor();

      JsonNode row = get(page + "api/runs").at("/runs/0");
      assertThat(row.path("state").asText()).isEqualTo("failed");
      assertThat(row.path("why").toString()).contains("its process is gone");
    }
  }

  /** {@code ./sluice serve --bootstrap localhost:9092 --run-id first}, with free ports. */
  @Test
  void serveShowsAnOnlineDeployment_fromItsTopics() throws Exception {
    var broker = SharedBroker.get();
    try (var roles = new Roles(folder, broker.bootstrapServers(), "served")) {
      var serve =
          roles.start(
              "serve",
              "serve",
              "--bootstrap",
              broker.bootstrapServers(),
              "--run-id",
              "served",
              "--port",
              "0");
      String page = page(roles, serve);
      var run =
          run(
              roles,
              "served",
              "--bootstrap",
              broker.bootstrapServers(),
              "--results",
              folder.resolve("elsewhere").toString());
      List<Event> events = events(page + "api/runs/served/stream");
      roles.awaitWhole(run);

      assertThat(events).first().extracting(Event::name).isEqualTo("snapshot");
      assertThat(names(events)).contains("second");
      assertThat(events).last().extracting(Event::name).isEqualTo("ended");
    }
  }
}
