package dev.sluice.contract.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Workflow.Edge;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workflow files as the world writes them, and what is said of those that are wrong. */
final class WorkflowFilesTest {
  private static final String SYSTEM =
      """
      models:
        small: {memory_gb: 14, gpus_required: 1, load_time_seconds: 30}
        large: {memory_gb: 60, gpus_required: 4, load_time_seconds: 120}
      workflows:
        one:
          nodes:
            - {id: a, model: small}
        two:
          nodes:
            - {id: a, model: small}
            - {id: b, model: large}
          edges:
            - {from: a, to: b}
      """;
  private static final String REQUESTS =
      """
      requests:
        - {request_id: r1, timestamp: "2024-01-01T10:00:00", workflow_id: one}
        - {request_id: r2, timestamp: "2024-01-01T10:01:00", workflow_id: two}
      """;

  @TempDir private Path folder;

  @Test
  void theShippedExample_isReadWhole() throws Exception {
    Path configs = Path.of("..", "configs", "workflows");
    WorkflowFiles files =
        WorkflowFiles.read(
            configs.resolve("system_config.yaml"),
            configs.resolve("workflow_requests.yaml"),
            4,
            false);
    assertThat(files.models().get("llm7b"))
        .isEqualTo(new Model("llm7b", 14, 1, 30, 50.0, 50.0, 8.5, null, null, 5));
    Workflow multimodal = files.workflows().get("multimodal_workflow");
    assertThat(multimodal.edges()).containsExactly(new Edge(0, 1));
    assertThat(multimodal.nodes())
        .extracting(Workflow.Node::id)
        .containsExactly("text_analysis", "image_generation");
    assertThat(files.requests())
        .extracting(WorkflowRequest::id)
        .containsExactly("req_001", "req_002");
    WorkflowRequest second = files.requests().get(1);
    assertThat(second.timestampEpochNs())
        .isEqualTo(Instant.parse("2024-01-01T10:01:00Z").toEpochMilli() * 1_000_000);
    assertThat(second.executionSeconds(0)).isEqualTo(5.2);
    assertThat(second.executionSeconds(1)).isEqualTo(15.8);
    assertThat(files.skipped()).isEmpty();
  }

  @Test
  void json_saysTheSameAsYaml() throws Exception {
    WorkflowFiles files =
        WorkflowFiles.read(
            file(
                "system.json",
                """
                {"models": {"small": {"name": "S", "memory_gb": 14, "gpus_required": 1,
                \t"load_time_seconds": 3e1, "tokens_per_second": null, "type": "llm"}},
                 "workflows": {"one": {"nodes": [{"id": "a", "model": "small"}]}}}
                """),
            file(
                "requests.json",
                """
                {"made_by": "a tool", "requests": [
                  {"request_id": "r1", "timestamp": "2024-01-01T10:00:00.5Z",
                   "workflow_id": "one", "input_data": {"deep": [{"x": null}]},
                   "node_execution_times": {"a": 0}}]}
                """),
            1,
            false);
    assertThat(files.models().get("small"))
        .isEqualTo(new Model("small", 14, 1, 30, null, null, null, null, null, 1));
    assertThat(files.requests().get(0).executionSeconds(0)).isZero();
    assertThat(files.requests().get(0).timestampEpochNs() % 1_000_000_000).isEqualTo(500_000_000);
  }

  @Test
  void whatANameStandsFor_isRepeatedByItsAlias() throws Exception {
    WorkflowFiles files =
        read(
            SYSTEM,
            """
            requests:
              - request_id: r1
                timestamp: 2024-01-01 10:00:00
                workflow_id: one
                node_execution_times: &times {a: 2.5}
              - request_id: r2
                timestamp: 2024-01-01 10:00:01
                workflow_id: one
                node_execution_times: *times
            """);
    assertThat(files.requests()).extracting(r -> r.executionSeconds(0)).containsExactly(2.5, 2.5);
  }

  @Test
  void noRequests_areNoMistake() throws Exception {
    assertThat(read(SYSTEM, "requests: []\n").requests()).isEmpty();
  }

  @Test
  void aModelThatNoRequestUses_mayNeedMoreGpusThanThereAre() throws Exception {
    WorkflowFiles files =
        WorkflowFiles.read(
            file("system.yaml", SYSTEM),
            file("requests.yaml", REQUESTS.lines().limit(2).collect(Collectors.joining("\n"))),
            1,
            false);
    assertThat(files.requests()).hasSize(1);
  }

  @Test
  void aModelThatIsUsed_mayNot() throws Exception {
    file("system.yaml", SYSTEM);
    file("requests.yaml", REQUESTS);
    assertThat(message(2))
        .isEqualTo(
            "system.yaml:3: error: model large needs more GPUs (4) than there are (2), and workflow"
                + " two, which request r2 asks for, runs it.\n"
                + "  Maybe --gpus 4, or --skip-infeasible to leave such requests out.");
  }

  @Test
  void whatIsInfeasible_isLeftOutWithItsReason_whenAskedFor() throws Exception {
    Path system = file("system.yaml", SYSTEM);
    Path requests =
        file(
            "requests.yaml",
            REQUESTS + "  - {request_id: r1, timestamp: \"2024-01-01\", workflow_id: on}\n");
    WorkflowFiles files = WorkflowFiles.read(system, requests, 2, true);
    assertThat(files.requests()).extracting(WorkflowRequest::id).containsExactly("r1");
    assertThat(files.skipped())
        .extracting(
            s -> s.requestId() + " " + s.workflowId() + " " + s.reason().replace(folder + "/", ""))
        .containsExactly(
            "r2 two system.yaml:3: model large needs more GPUs (4) than there are (2)",
            "r1 on requests.yaml:4: a request of this id (r1) stands on line 2");
  }

  @Test
  void aCycle_isNamedWithItsNodes_fromTheFirstInTheFile() throws Exception {
    assertThat(
            systemMessage(
                """
                models:
                  m: {memory_gb: 1, gpus_required: 1, load_time_seconds: 1}
                workflows:
                  w:
                    nodes:
                      - {id: start, model: m}
                      - {id: a, model: m}
                      - {id: b, model: m}
                      - {id: c, model: m}
                      - {id: after, model: m}
                    edges:
                      - {from: start, to: b}
                      - {from: a, to: b}
                      - {from: b, to: c}
                      - {from: c, to: a}
                      - {from: c, to: after}
                """))
        .isEqualTo(
            "system.yaml:4: error: workflow w goes round in a circle (a -> b -> c -> a).\n"
                + "  Maybe one of these edges points the wrong way.");
  }

  @Test
  void aNodeThatNeedsItself_isACycle() throws Exception {
    assertThat(systemMessage(SYSTEM.replace("{from: a, to: b}", "{from: b, to: b}")))
        .startsWith("system.yaml:8: error: workflow two goes round in a circle (b -> b).");
  }

  @Test
  void unknownNames_areNamedWithTheNearest() throws Exception {
    assertThat(
            systemMessage(
                SYSTEM
                    .replace("{id: b, model: large}", "{id: b, model: lagre}")
                    .replace("{from: a, to: b}", "{from: a, to: x}")))
        .isEqualTo(
            "system.yaml:11: error: workflows.two: the model (lagre) of node (b) is unknown.\n"
                + "  Maybe you meant large. Known models: large, small.\n"
                + "system.yaml:13: error: workflows.two: the node (x) of this edge is unknown.\n"
                + "  Maybe you meant a. Known nodes: a, b.");
  }

  @Test
  void duplicates_areNamedWithBothPlaces() throws Exception {
    assertThat(
            systemMessage(
                SYSTEM.replace("{id: b, model: large}", "{id: a, model: large}")
                    + "  one: {nodes: [{id: a, model: small}]}\n"))
        .isEqualTo(
            "system.yaml:11: error: workflows.two has a second node (a), the first is on line 10.\n"
                + "  Maybe one of the two should be renamed.\n"
                + "system.yaml:13: error: workflows.two: the node (b) of this edge is unknown.\n"
                + "  Maybe you meant a. Known nodes: a.\n"
                + "system.yaml:14: error: the key one is here a second time, first at system.yaml:5.\n"
                + "  Maybe one of the two should be removed.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          memory_gb: -14|models.small.memory_gb (-14) must be at least 0 and at most 1000000000
          memory_gb: .nan|models.small.memory_gb (.nan) must be a finite number
          memory_gb: '14'|models.small.memory_gb (14) must be a number
          memory_gb: 14GB|models.small.memory_gb (14GB) must be a number
          memory_gb: [14]|models.small.memory_gb (a list) must be a number
          memroy_gb: 14|models.small.memory_gb is missing
          """)
  void aWrongNumber_isNamedWithItsLine(String written, String expected) throws Exception {
    assertThat(systemMessage(SYSTEM.replaceFirst("memory_gb: 14", written)))
        .startsWith("system.yaml:2: error: " + expected + ".\n  Maybe ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          request_id: r2|request_id: r1|a request of this id (r1) stands on line 2
          workflow_id: two|workflow_id: tow|request r2: workflow_id (tow) is unknown
          2024-01-01T10:01:00|tomorrow|request r2: timestamp (tomorrow) is not a time
          2024-01-01T10:01:00|2024-13-01T10:01:00|request r2: timestamp (2024-13-01T10:01:00) is not a time
          2024-01-01T10:01:00|2024-01-01T10:01:00Z|request r2: timestamp (2024-01-01T10:01:00Z) has a zone, and that of the first request has none
          workflow_id: two|workflow_id: two, node_execution_times: {a: -1}|request r2: node_execution_times.a (-1) must be at least 0 and at most 1000000000
          workflow_id: two|workflow_id: two, node_execution_times: {a: .inf}|request r2: node_execution_times.a (.inf) must be a finite number
          workflow_id: two|workflow_id: two, node_execution_times: {c: 1}|request r2: node_execution_times names a node (c) that its workflow has not
          workflow_id: two|workflow_id: two, node_configs: {c: {}}|request r2: node_configs names a node (c) that its workflow has not
          workflow_id: two|workflow_id: two, node_execution_time: {}|the key request r2: node_execution_time is unknown
          timestamp: "2024-01-01T10:01:00", ||request r2: timestamp is missing
          request_id: r2, ||request number 2: request_id is missing
          """)
  void aWrongRequest_isNamedWithItsLine(String written, String instead, String expected)
      throws Exception {
    file("system.yaml", SYSTEM);
    file("requests.yaml", REQUESTS.replace(written, instead == null ? "" : instead));
    assertThat(message(8)).startsWith("requests.yaml:3: error: " + expected + ".\n  Maybe ");
  }

  /** An empty text is a mistake of its own: it is neither missing nor a name. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          timestamp: "2024-01-01T10:01:00"|timestamp: ""|request r2: timestamp ("") is empty
          workflow_id: two|workflow_id: ""|request r2: workflow_id ("") is empty
          workflow_id: two|workflow_id: " "|request r2: workflow_id (" ") is empty
          request_id: r2|request_id: ""|request number 2: request_id ("") is empty
          request_id: r2|request_id: "r\\0"|request r\\u0000: request_id (r\\u0000) holds a control character
          workflow_id: two|workflow_id: two, node_configs: {"": {}}|a key is empty
          """)
  void anEmptyTextOfARequest_isNamedWithItsLine(String written, String instead, String expected)
      throws Exception {
    file("system.yaml", SYSTEM);
    file("requests.yaml", REQUESTS.replace(written, instead));
    assertThat(message(8)).startsWith("requests.yaml:3: error: " + expected + ".\n  Maybe ");
  }

  @Test
  void twoRequestsWithoutAnId_areTwoMistakes() throws Exception {
    file("system.yaml", SYSTEM);
    file("requests.yaml", REQUESTS.replaceAll("request_id: r.", "request_id: \"\""));
    assertThat(mistake(8).problems())
        .extracting(UserMistakeException.Problem::what)
        .containsExactly(
            "request number 1: request_id (\"\") is empty",
            "request number 2: request_id (\"\") is empty");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {from: a, to: b}|{from: '', to: b}|13|workflows.two.edges.from ("") is empty
          {from: a, to: b}|{from: a, to: ''}|13|workflows.two.edges.to ("") is empty
          {id: b, model: large}|{id: b, model: ""}|11|workflows.two.nodes.model ("") is empty
          {id: b, model: large}|{id: "", model: large}|11|workflows.two.nodes.id ("") is empty
          small: {|"": {|2|a key is empty
          """)
  void anEmptyTextOfASystem_isNamedWithItsLine(
      String written, String instead, int line, String expected) throws Exception {
    file("system.yaml", SYSTEM.replace(written, instead));
    file("requests.yaml", REQUESTS);
    assertThat(message(8)).contains("system.yaml:" + line + ": error: " + expected + ".\n  Maybe ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          requests: [|requests.yaml:2: error: this is not YAML (expected the node content, but found '<stream end>')
          ~~|requests.yaml: error: the file is empty
          - r1|requests.yaml:1: error: a file of requests is a mapping of keys to values, and this is not
          models: {}|requests.yaml: error: requests are missing
          request: []|requests.yaml:1: error: the key request is unknown
          requests: r1|requests.yaml:1: error: requests must be a list
          requests: [r1]|requests.yaml:1: error: request number 1 (r1) must be a mapping of keys to values
          """)
  void aFileThatHoldsNoRequests_isRefused(String written, String expected) throws Exception {
    file("system.yaml", SYSTEM);
    file("requests.yaml", written + "\n");
    assertThat(message(8)).startsWith(expected + ".\n  Maybe ");
  }

  @Test
  void brokenJson_isNamedWithItsLine() throws Exception {
    file("system.yaml", SYSTEM);
    Path requests = file("requests.json", "{\"requests\": [\n{\"request_id\" \"r1\"}]}");
    assertThat(message(folder.resolve("system.yaml"), requests, 8))
        .startsWith("requests.json:2: error: this is not JSON (unexpected character (\"), at 2:");
  }

  @ParameterizedTest
  @CsvSource({"\\q, unknown escape", "'\n', a text holds a control character .code 10."})
  void aBrokenText_inJson_isNamedWithItsLine(String broken, String reason) throws Exception {
    file("system.yaml", SYSTEM);
    Path requests =
        file("requests.json", "{\"requests\": [\n{\"request_id\": \"r" + broken + "1\"}]}");
    assertThat(message(folder.resolve("system.yaml"), requests, 8))
        .matches("(?s)requests.json:[23]: error: this is not JSON \\(" + reason + ".*");
  }

  @Test
  void aMissingFile_isNamed() throws Exception {
    file("system.yaml", SYSTEM);
    assertThat(message(8)).startsWith("requests.yaml: error: the file does not exist.");
  }

  @Test
  void mistakesByTheThousand_areNotAllListed() throws Exception {
    file("system.yaml", SYSTEM);
    file(
        "requests.yaml",
        "requests:\n"
            + IntStream.range(0, 1000)
                .mapToObj(
                    i -> "  - {request_id: r%d, timestamp: never, workflow_id: one}\n".formatted(i))
                .collect(Collectors.joining()));
    UserMistakeException mistake = mistake(8);
    assertThat(mistake.problems()).hasSize(51);
    assertThat(mistake.problems().get(50).what())
        .isEqualTo("mistakes beyond these (950) are not listed");
  }

  private WorkflowFiles read(String system, String requests) throws Exception {
    return WorkflowFiles.read(
        file("system.yaml", system), file("requests.yaml", requests), 8, false);
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text, StandardCharsets.UTF_8);
  }

  private String systemMessage(String system) throws Exception {
    file("system.yaml", system);
    file("requests.yaml", "requests: []\n");
    return message(8);
  }

  private String message(int gpus) {
    return message(folder.resolve("system.yaml"), folder.resolve("requests.yaml"), gpus);
  }

  private String message(Path system, Path requests, int gpus) {
    return mistake(system, requests, gpus).getMessage().replace(folder + "/", "");
  }

  private UserMistakeException mistake(int gpus) {
    return mistake(folder.resolve("system.yaml"), folder.resolve("requests.yaml"), gpus);
  }

  private static UserMistakeException mistake(Path system, Path requests, int gpus) {
    UserMistakeException mistake =
        catchThrowableOfType(
            UserMistakeException.class, () -> WorkflowFiles.read(system, requests, gpus, false));
    assertThat(mistake).isNotNull();
    return mistake;
  }
}
