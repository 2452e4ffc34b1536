// Does the tasks of `npm run bench -- libraries` with the library in LIBRARY, with its documented retry if RETRY is "on".
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/PuerkitoBio/rehttp"
	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-retryablehttp"
)

type send func(method, address string, body []byte) (int, error)

var isOn = os.Getenv("RETRY") == "on"

func isRetried(status int) bool { return status == 429 || status == 502 || status == 504 }

func request(method, address string, body []byte) *http.Request {
	made, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	made.Header.Set("X-Api-Key", os.Getenv("SHELFCHECK_API_KEY"))
	made.Header.Set("Content-Type", "application/json")
	return made
}

func statusOf(response *http.Response, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

var libraries = map[string]func() send{
	"net/http": func() send {
		return func(method, address string, body []byte) (int, error) {
			return statusOf(http.DefaultClient.Do(request(method, address, body)))
		}
	},
	"go-retryablehttp": func() send {
		client := retryablehttp.NewClient()
		client.Logger = nil
		return func(method, address string, body []byte) (int, error) {
			made, err := retryablehttp.FromRequest(request(method, address, body))
			if err != nil {
				return 0, err
			}
			return statusOf(client.Do(made))
		}
	},
	"resty": func() send {
		client := resty.New()
		if isOn {
			client.SetRetryCount(5).AddRetryCondition(func(response *resty.Response, err error) bool {
				return err != nil || isRetried(response.StatusCode())
			})
		}
		return func(method, address string, body []byte) (int, error) {
			made := client.R().SetHeader("X-Api-Key", os.Getenv("SHELFCHECK_API_KEY"))
			if len(body) > 0 {
				made.SetHeader("Content-Type", "application/json").SetBody(body)
			}
			response, err := made.Execute(method, address)
			return response.StatusCode(), err
		}
	},
	"rehttp": func() send {
		client := http.DefaultClient
		if isOn {
			client = &http.Client{Transport: rehttp.NewTransport(
				nil,
				rehttp.RetryAll(rehttp.RetryMaxRetries(5), rehttp.RetryStatuses(429, 502, 504)),
				rehttp.ExpJitterDelay(500*time.Millisecond, 10*time.Second),
			)}
		}
		return func(method, address string, body []byte) (int, error) {
			return statusOf(client.Do(request(method, address, body)))
		}
	},
}

type task struct {
	Products []map[string]string   `json:"products"`
	Items    []map[string]string `json:"items"`
}

func main() {
	ask := libraries[os.Getenv("LIBRARY")]()
	var document struct{ Tasks []task }
	if err := json.Unmarshal([]byte(os.Getenv("SHELFCHECK_TASK")), &document); err != nil {
		log.Fatal(err)
	}
	perform := func(method, path string, body []byte) {
		status, err := ask(method, os.Getenv("SHELFCHECK_BASE_URL")+path, body)
		// A request that failed is given up, and what follows waits until every limit is over.
		if err != nil || (status != 200 && status != 404) {
			time.Sleep(6 * time.Second)
		}
	}
	for _, one := range document.Tasks {
		for _, product := range one.Products {
			by := product["by"]
			if by == "id" {
				perform("GET", "/products/"+url.PathEscape(product["retailer"])+"/"+url.PathEscape(product["product_id"]), nil)
			} else {
				perform("GET", "/products?"+url.Values{by: {product[by]}}.Encode(), nil)
			}
		}
		for at := 0; at < len(one.Items); at += 50 {
			body, _ := json.Marshal(map[string]any{"items": one.Items[at:min(at+50, len(one.Items))]})
			perform("POST", "/products/batch-lookup", body)
		}
	}
}
