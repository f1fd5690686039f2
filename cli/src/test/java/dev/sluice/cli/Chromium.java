package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium with windows of its own. Nothing is downloaded: without one, tests skip. */
final class Chromium implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(300);

  private final ChromeDriver driver;

  private Chromium(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Starts a browser with its data in a folder, or skips the test aloud. */
  static Chromium start(Path data) {
    File browser = first("/usr/bin/chromium", "/usr/bin/google-chrome");
    File matching = first("/usr/bin/chromedriver");
    assumeTrue(browser != null && matching != null, "no Chromium with its driver in /usr/bin");
    System.setProperty("SE_OFFLINE", "true");
    var logs = new LoggingPreferences();
    logs.enable("browser", Level.ALL);
    var options = new ChromeOptions();
    options.setBinary(browser);
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--window-size=1366,900",
        "--user-data-dir=" + data);
    options.setCapability("goog:loggingPrefs", logs);
    var service =
        new ChromeDriverService.Builder().usingDriverExecutable(matching).usingAnyFreePort();
    var driver = new ChromeDriver(service.build(), options);
    driver.manage().timeouts().scriptTimeout(LIMIT);
    return new Chromium(driver);
  }

  private static @Nullable File first(String... paths) {
    return Stream.of(paths).map(File::new).filter(File::canExecute).findFirst().orElse(null);
  }

  /** Opens a page in a new window, which becomes the current one, and returns the window. */
  String open(String url) {
    String window = driver.switchTo().newWindow(WindowType.WINDOW).getWindowHandle();
    driver.get(url);
    return window;
  }

  /** Makes a window the current one, and visible. */
  void show(String window) {
    driver.switchTo().window(window);
    tell("Page.bringToFront", Map.of());
  }

  /** Goes elsewhere in the current window. */
  void go(String url) {
    driver.get(url);
  }

  void reload() {
    driver.navigate().refresh();
  }

  /** Closes the current window; another one must become the current one. */
  void closeWindow() {
    driver.close();
  }

  /** Waits in the current window until an expression is true there, and returns its value. */
  Object await(String expression) {
    return driver.executeAsyncScript(
        "const done = arguments[0]; const look = () => { let v = null; try { v = ("
            + expression
            + "); } catch { } if (v) done(v); else setTimeout(look, 20); }; look();");
  }

  /** Runs a function's body in the current window, and returns what it returns. */
  Object run(String body, Object... arguments) {
    return driver.executeScript(body, arguments);
  }

  /** Tells the browser a command of its DevTools protocol. */
  void tell(String command, Map<String, Object> parameters) {
    driver.executeCdpCommand(command, parameters);
  }

  /** Stops all that the current window's page does, as a laptop's sleep would. */
  void sleep() {
    tell("Page.enable", Map.of());
    tell("Page.setWebLifecycleState", Map.of("state", "frozen"));
  }

  /** Wakes the current window, and waits until its page is visible again. */
  void wake() {
    tell("Page.setWebLifecycleState", Map.of("state", "active"));
    Object window =
        driver.executeCdpCommand("Browser.getWindowForTarget", Map.of()).get("windowId");
    for (String state : List.of("minimized", "normal")) { // else a page once frozen stays hidden
      tell(
          "Browser.setWindowBounds",
          Map.of("windowId", window, "bounds", Map.of("windowState", state)));
    }
    await("!document.hidden");
  }

  /** Lets the current window believe in media features, such as a dark color scheme. */
  void emulate(Map<String, String> features) {
    List<Map<String, String>> list =
        features.entrySet().stream()
            .map(feature -> Map.of("name", feature.getKey(), "value", feature.getValue()))
            .toList();
    tell("Emulation.setEmulatedMedia", Map.of("features", list));
  }

  void resize(int width, int height) {
    tell(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    driver.manage().window().setSize(new Dimension(width, height));
  }

  /** Presses a key without a modifier. */
  void press(String key, int code) {
    for (String type : List.of("keyDown", "keyUp")) {
      tell(
          "Input.dispatchKeyEvent",
          Map.of("type", type, "key", key, "code", key, "windowsVirtualKeyCode", code));
    }
  }

  /** Lines of all windows' consoles since the last call. */
  List<String> console() {
    return driver.manage().logs().get("browser").getAll().stream().map(LogEntry::toString).toList();
  }

  /** What axe finds in the current window, by the rules of WCAG 2.2 AA and below. */
  @SuppressWarnings("unchecked")
  List<String> violations() throws IOException {
    run(axe());
    return (List<String>)
        driver.executeAsyncScript(
            """
            const done = arguments[0];
            axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
                .then((found) => done(found.violations.flatMap((v) => v.nodes.map((n) =>
                    v.id + ' ' + n.target.join(' ') + ': ' + n.failureSummary))));
            """);
  }

  private static String axe() throws IOException {
    try (InputStream script = Chromium.class.getResourceAsStream("/axe.min.js")) {
      return new String(script.readAllBytes(), UTF_8);
    }
  }

  /** Keeps a picture of the current window. */
  void picture(Path file) throws IOException {
    Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
  }

  @Override
  public void close() {
    driver.quit();
  }
}
