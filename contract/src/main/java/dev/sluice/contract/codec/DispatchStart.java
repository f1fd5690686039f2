package dev.sluice.contract.codec;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.contract.value.DispatchId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a dispatch starts, for readers who need no more of it. The chosen job comes first. What
 * stands in the bytes behind these fields is not looked at.
 *
 * @param executorId executor that the dispatch is for
 * @param lanes indexes of the lanes that the batch takes on the executor
 */
public record DispatchStart(
    DispatchId id, String executorId, List<Integer> lanes, List<String> jobIds) {
  private static final JsonFactory JSON = new JsonFactory();

  /** Reads what a dispatch starts; null: the bytes do not tell. */
  public static @Nullable DispatchStart readOrNull(byte[] bytes) {
    DispatchStart start = HotBatches.readStart(bytes);
    return start == null ? byParser(bytes) : start;
  }

  static @Nullable DispatchStart byParser(byte[] bytes) {
    DispatchId id = null;
    String executorId = null;
    List<Integer> lanes = null;
    List<String> jobIds = null;
    try (JsonParser parser = JSON.createParser(bytes)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        parser.nextToken();
        switch (name) {
          case "dispatchId" -> id = DispatchId.parse(parser.getText());
          case "executorId" -> executorId = parser.getText();
          case "lanes" -> lanes = lanes(parser);
          case "jobs" -> jobIds = jobIds(parser);
          default -> parser.skipChildren();
        }
        if (id != null && executorId != null && lanes != null && jobIds != null) {
          return new DispatchStart(id, executorId, lanes, jobIds);
        }
      }
      return null;
    } catch (IOException | IllegalArgumentException e) {
      return null;
    }
  }

  private static List<Integer> lanes(JsonParser parser) throws IOException {
    List<Integer> lanes = new ArrayList<>(1);
    while (parser.nextToken() == JsonToken.VALUE_NUMBER_INT) {
      lanes.add(parser.getIntValue());
    }
    return lanes;
  }

  private static List<String> jobIds(JsonParser parser) throws IOException {
    List<String> ids = new ArrayList<>(4);
    while (parser.nextToken() == JsonToken.START_OBJECT) {
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        parser.nextToken();
        if (name.equals("jobId")) {
          ids.add(parser.getText());
        } else {
          parser.skipChildren();
        }
      }
    }
    return ids;
  }
}
